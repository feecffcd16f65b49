"""Names in Chinese text, where no capital shows them: by what the evidence lacks."""

from __future__ import annotations

import re

_STRONG = frozenset(
    "斯尔克特拉德亚伦弗莱卡迪埃奥诺尼罗洛莫穆曼姆顿森巴伯布丹鲁塞萨赫菲佩普戈杰凯瑟娜琳珊蒂妮妲蒙"
    "哈霍休詹沃瓦谢雷廷维伊莎桑茨兹夸琼韦贝娅茜翰逊摩约汉兰利格彼威埔纽仑坎堪芬荷葡柬吕昂隆尤茵芙"
    "丝莉黛婷薇妍翠阿艾欧班茅庞皮乔丘叙"
)
"""Signs that write the sounds of foreign names, and seldom anything else side by side."""
_SURNAMES = frozenset(
    "李王张刘陈杨赵黄吴徐孙朱郭梁宋郑韩冯董萧曹袁邓傅沈彭吕苏卢蒋蔡贾魏薛阎潘姚廖邹陆郝崔邱秦侯邵孟尹黎牟屠裴"
)
_SUFFIX = re.compile(
    "(?:语|族|教|党|派|队|市|州|省|县|国|岛|河|山|湖|海|港|区|镇|村|路|街|桥|宫|院|校|馆|社|报|奖|杯|寺|郡|郎|"
    "大学|公司|学院|委员会|协会|集团|帝国|王朝|王国|共和国|银行|大街|机场|车站|医院|日报|先生|女士|教授|博士)\\Z"
)
_PLACE = re.compile(
    "[美英法德俄韩泰中]国|日本|印度|巴西|希腊|瑞士|瑞典|挪威|丹麦|荷兰|越南|埃及|朝鲜|蒙古|伊朗|波斯|罗马|北京|"
    "上海|香港|台湾|北美|南美|欧洲|亚洲|非洲|美洲|澳洲|中东|东京|巴黎|伦敦|柏林|纽约|华盛顿"
)
_HAN = re.compile("[\u3400-\u9fff]+")
_DOTS = frozenset("·•‧・")
_GAP = re.compile("(?<=[\u3400-\u9fff])\\s+(?=[\u3400-\u9fff])")
_MIN_SUFFIXED = 3
_LINKS = "的是在于和与了为被将从把对由"
_EDGES = re.compile(f"\\A[{_LINKS}]+|[{_LINKS}]+\\Z")
_PREDICATES = frozenset("是在于将被为")
_LONGEST_SUBJECT = 8
"""Signs up to which the start of a sentence, if the evidence has nothing of it, is its subject."""


def unknown_han_names(claim: str, evidence: str) -> list[str]:
    """Return runs of Chinese signs that look like names and that the evidence lacks, in order.

    A sign is known if it stands beside the same neighbour in the evidence.
    """
    known = _GAP.sub("", evidence)
    text = _GAP.sub("", claim)
    return [
        text[start:end]
        for match in _HAN.finditer(text)
        for start, end in _unknown_runs(text, match.span(), known)
        if _is_name(text, start, end)
    ]


def _unknown_runs(text: str, span: tuple[int, int], known: str) -> list[tuple[int, int]]:
    """Return ranges of signs of which no pair is known, within a run."""
    start, end = span
    if end - start == 1:
        return [] if text[start] in known else [span]
    is_known = [False] * (end - start)
    for place in range(start, end - 1):
        if text[place : place + 2] in known:
            is_known[place - start] = is_known[place - start + 1] = True
    runs: list[tuple[int, int]] = []
    for place in range(start, end):
        if is_known[place - start]:
            continue
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _is_name(text: str, start: int, end: int) -> bool:
    bare = _EDGES.sub("", text[start:end])
    if not bare:
        return False
    start = text.index(bare, start)
    is_subject = start == 0 and (start + len(bare) < end or text[end : end + 1] in _PREDICATES)
    end = start + len(bare)
    if is_subject and 1 < len(bare) <= _LONGEST_SUBJECT and "的" not in bare:
        return True
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    if not _DOTS.isdisjoint(around):
        return any(sign in _STRONG for sign in bare)
    return is_han_name(bare)


def is_han_name(run: str) -> bool:
    """Return whether signs look like a name: by sounds, by a surname, or by what it is of."""
    n_strong = sum(sign in _STRONG for sign in run)
    if (n_strong >= 2 and 2 * n_strong >= len(run)) or _PLACE.search(run):
        return True
    if run[0] in _SURNAMES and 2 <= len(run) <= 3:
        return True
    return len(run) >= _MIN_SUFFIXED and bool(_SUFFIX.search(run))
