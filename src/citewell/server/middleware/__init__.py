"""What every request passes, in pure ASGI."""
