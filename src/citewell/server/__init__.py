"""The HTTP door: authenticate, make a clearance, call a service function, shape the reply."""
