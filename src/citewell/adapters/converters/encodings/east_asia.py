"""Frequent characters of Chinese, Japanese and Korean, to tell right decodings from wrong ones.

A wrong decoding of East Asian text gives valid but rare characters. The lists are the most
frequent characters of each language by common knowledge, business words included; what is
"ordinary" comes from the standards themselves, whose first level holds the everyday characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_SIMPLIFIED = (
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后"
    "小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"
    "知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最"
    "间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市"
    "眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计"
    "或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让"
    "认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办"
    "运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持"
    "取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞"
    "观争究包组造落视济喜离虽坏推微谈修期限假薪客服员工编号销售密码账户订单价格免费支持产品公司合同申请审批"
    "经理部门规定流程数据系统安装配置错误信息邮件电话地址时间星期需要可以必须包括使用测试文件报告年度季度"
)
_TRADITIONAL = (
    "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後"
    "小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長"
    "知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最"
    "間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市"
    "眼體別處總才場師書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期叫死常提感金何更反合放做系計"
    "或司利受光王果親界及今京務制解各任至清物台象記邊共風戰幹接它許八特覺望直服毛林題建南度統色字請交愛讓"
    "認算論百吃義科怎元社術結六功指思非流每青管夫連遠資隊跟帶花快條院變聯言權往展該領傳近留紅治決周保達辦"
    "運武半候七必城父強步完革深區即求品士轉量空甚眾技輕程告江語英基派滿式李息寫呢識極令黃德收臉錢黨倒未持"
    "固專線編號客服銷售密碼帳戶訂單價格免費支援產品司申請審批規定流程資料系統安裝設定錯誤訊息郵件話址週"
)
_KANA = "".join(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30F7), 0x30FC]))
_KANJI = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先"
    "名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明"
    "動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始"
    "朝運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰"
    "古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢保証期"
    "給与休暇番号議部署営業氏名務管理情報設定変更確認連絡株式契約製品対応開発問題方法必要場合使用関係経済政"
    "府全的性化内民定法県市区実現当所決相議関最表取連政数書設受報成参加各指合"
)
_HANGUL = (
    "이다에의는로하을가고지서한은기으년대사시를리도인스일자어나정해들그아과보전수있제부라구되니여상장주만조"
    "동원연성경선마관비국학공무소우생신간분문당내적진안회중치면실야모요방용세위었했것할말체오계개유물저화"
    "바음발합입건날양트식강데심임번호업까결속행밀약금단품질목때료설명오타드크터레르프미디단법민증휴가직급"
    "후판반력재청직교습근출외려본월편작각통런더파차금군토권복불여남북와또며습니까게않없많같받던된될며"
)


@dataclass(frozen=True, slots=True)
class CharacterRanks:
    """How ordinary characters are in one language.

    Attributes:
        frequent: Makes up more than half of a text.
        ordinary: Everyday characters besides.
    """

    frequent: frozenset[str]
    ordinary: frozenset[str]


def _rows(encoding: str, first: int, last: int, low_trails: range | None = None) -> frozenset[str]:
    """Return the characters whose first byte lies in [first, last]."""
    trails = [*(low_trails or ()), *range(0xA1, 0xFF)]
    encoded = b"".join(bytes((lead, trail)) for lead in range(first, last + 1) for trail in trails)
    return frozenset(encoded.decode(encoding, "ignore"))


@cache
def ranks_of_encoding(encoding: str) -> CharacterRanks:
    """Return the ranks of the language that `encoding` is for."""
    if encoding == "gb18030":
        return CharacterRanks(frozenset(_SIMPLIFIED), _rows("gb2312", 0xB0, 0xD7))
    if encoding == "big5hkscs":
        return CharacterRanks(frozenset(_TRADITIONAL), _rows("big5", 0xA4, 0xC6, range(0x40, 0x7F)))
    if encoding in {"cp932", "euc_jp"}:
        return CharacterRanks(frozenset(_KANA + _KANJI), _rows("euc_jp", 0xB0, 0xCF))
    if encoding == "cp949":
        return CharacterRanks(frozenset(_HANGUL), _rows("euc_kr", 0xB0, 0xC8))
    every = [ranks_of_encoding(name) for name in ("gb18030", "big5hkscs", "cp932", "cp949")]
    return CharacterRanks(
        frozenset[str]().union(*(ranks.frequent for ranks in every)),
        frozenset[str]().union(*(ranks.ordinary for ranks in every)),
    )
