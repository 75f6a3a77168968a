"""The few words that the lexical judge knows of languages: which say nothing, which negate, which abstain.

English, Vietnamese and Chinese are covered with some care; of a few other languages only the words of negation are
known. All of them are compared in folded form (NFKC, casefold).
"""

import re

STOP_WORDS = frozenset(
    """
    a an the and or of to in on at by for from with as is are was were be been being am it its this that these those
    there here he she they we i you his her their our my your him them us me who which what do does did has have had
    will would can could may might shall should must also so then than just very too well yes ok okay about into up
    if when while because but not no và hoặc của cho với từ ở tại trong trên dưới vào ra về là được bị có thì mà này
    kia đó ấy các những một sẽ đã đang vẫn cũng rất quá bạn tôi chúng ta mình anh chị em quý khách ạ vâng dạ nhé nha
    nếu khi để do bởi theo như nên rằng bằng lại nhưng không
    """.split()  # noqa: SIM905 - a list of words reads better as a text
)
"""Words that any two texts share."""

STOP_SIGNS = frozenset("的了是在和与及或也都就而之其这那此您你我他她它们吗呢吧啊呀哦个把被对为以于从到由会能可有请")
"""Signs of Chinese that join others; a run of signs is cut at them."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


NEGATIONS = frozenset(
    """
    not no never without none nor neither cannot nobody nothing nowhere unable không chưa chẳng chả đừng ne pas
    jamais sans nicht kein keine keinen keiner nie ohne nunca jamás não нет не никогда без tidak bukan belum tanpa
    nie nigdy ikke inte niet geen değil لا ليس لم لن नहीं
    """.split()  # noqa: SIM905 - a list of words reads better as a text
)
NEGATING_SIGNS = re.compile(r"[不没沒無无未别別勿]|ない|ません|ずに|않|없|못|아니|ไม่")
NO_NEGATION = _any(
    r"\bnot only\b",
    r"\bno\.? ?(?=\d)",
    r"\bno (?:matter|longer than|later than|more than|less than)\b",
    r"\bkhông (?:chỉ|những|khí|gian|quân|trung|lưu|quá)\b",
    r"\b(?:hàng|số) không\b",
    r"\bchưa (?:đến|tới|đầy)\b",
    r"不(?:仅|僅|但|过|過|同|断|斷|少|管|论|論|久|得不|超过|超過)",
    r"无论|無論|无线|無線|未来|未來|别人|別人",
    r"[特区分级性類类]别|[特區分級性類]別",
)
"""Compounds that hold a negation and do not negate: "no more than 5", "hàng không" (airline), "不过" (however)."""

_INFORMATION = (
    r"(?:an? |any |enough |the |such |more |further |specific |relevant |that )*"
    r"(?:information|details?|data|answers?|knowledge)"
)
_NOT = r"(?: (?:do|did|does|could|can|am|are|was|were|is|have)| ?'m| ?'re)?(?: not| ?n't| unable to| no)"
_WHO = (
    r"(?:(?:hiện|hiện tại|rất tiếc) )*"
    r"(?:(?:tôi|chúng tôi|mình|em|bên em|hệ thống|tài liệu|ngữ cảnh)(?: (?:hiện|hiện tại|vẫn|cũng))* )?"
)
_THING = r"(?:thông tin|dữ liệu|câu trả lời)"

ABSTENTION = _any(
    rf"(?:i|we)(?: (?:really|currently|simply))?{_NOT}(?: (?:to|really|currently))?"
    r" (?:know|sure|certain|aware|(?:able to )?answer|help|say|tell)\b.*",
    rf"(?:i|we){_NOT} (?:able to )?(?:have|find|see|provide|locate)? ?{_INFORMATION}\b.*",
    rf"there is (?:no|not) {_INFORMATION}\b.*",
    rf"no {_INFORMATION}(?: (?:is|was) (?:available|found|given|provided))?",
    rf"(?:the |this |that )?(?:information|answer|context|documents?|sources?|texts?|passages?){_NOT}"
    r" (?:available|known|provided|given|contain|say|mention|include|state|specify)\b.*",
    rf"{_WHO}(?:không|chưa)(?: thể)?"
    rf" (?:biết|rõ|chắc|trả lời|xác định|(?:tìm thấy|tìm được|có|đủ|có đủ) {_THING})\b.*",
    r"(?:目前|暂时|我|我们|资料|文档|上下文)*(?:不知道|不清楚|不确定|无法(?:回答|确定))(?:这个|该|您的|的|问题|答案|具体|情况)*",
    r"(?:目前|暂时|我|我们|资料|文档|上下文)*(?:中|里)*"
    r"(?:没有|未|无法|找不到)(?:找到|提供|提及|提到|查到)?.{0,20}(?:信息|资料|答案|内容|记录)",
)
"""A clause that says that nothing is known; everything behind its verb belongs to it."""

_YOU = r"(?: (?:bạn|anh|chị|quý khách|anh/chị|nhiều|rất nhiều|vì.*|đã.*))*"

COURTESY = _any(
    r"(?:hello|hi|hey|dear (?:customer|sir|madam)|good (?:morning|afternoon|evening|day)|welcome|thanks?|thank you|bye)"
    r"(?: (?:there|you|again|so much|very much|for (?:your|asking|contacting|reaching|that)\b.*))*",
    r"(?:(?:i'm|i am|we are|we're|very|so|really) )*sorry(?: (?:about|for) (?:that|the (?:inconvenience|confusion)))?",
    r"i apologi[sz]e|apologies|unfortunately|you're welcome|of course|sure|certainly|(?:great|good) question|yes|no",
    r"have a (?:nice|great|good) day|i hope (?:this|that) helps|let (?:me|us) know\b.*",
    r"(?:please |feel free to |you (?:can|may) )+"
    r"(?:contact|ask|call|reach|let (?:us|me) know|write to|check with|get in touch)\b.*",
    r"if you have (?:any )?(?:other |more |further )*questions",
    rf"(?:xin |kính )?chào{_YOU}(?: mừng.*)?|dạ|vâng|rất tiếc|thật tiếc|tạm biệt",
    rf"(?:dạ |rất |thành thật )*(?:xin lỗi|xin cảm ơn|cảm ơn|cám ơn){_YOU}",
    r"(?:xin |bạn |quý khách |anh |chị )*(?:vui lòng|hãy|có thể) (?:liên hệ|gọi|hỏi|cho (?:tôi|chúng tôi) biết)\b.*",
    r"chúc (?:bạn|anh|chị|quý khách)\b.*",
    r"您好|你好|不客气|再见|(?:非常|很|十分)?(?:抱歉|对不起|不好意思)|祝您.*",
    r"(?:非常)?(?:谢谢|感谢)(?:您|你)?(?:的.{1,8})?",
    r"请(?:您)?(?:随时)?(?:联系|咨询|致电|拨打).*|(?:如有|如果您有)(?:其他|任何)*(?:问题|疑问)",
)
"""A clause of politeness, or one that sends on to somebody else."""

ADVERSATIVE = _any(
    r"\b(?:but|however|although|though|yet|instead|except)\b",
    r"\b(?:nhưng|tuy nhiên|song|mặc dù|tuy|ngoài|trừ)\b",
    r"但|不过|然而|可是|却|除了",
)
"""After one of these comes what is claimed after all."""

TELLING_QUESTION = _any(r"did you know", r"\b(?:is|are|was|were|do|does) not\b", r"có biết", r"[你您]知道", r"难道")
"""A question that tells something."""

SCALES = {
    "nghìn": 3,
    "ngàn": 3,
    "thousand": 3,
    "千": 3,
    "万": 4,
    "萬": 4,
    "triệu": 6,
    "million": 6,
    "tỷ": 9,
    "tỉ": 9,
    "billion": 9,
    "亿": 8,
    "億": 8,
}
"""Words behind a number that multiply it, as powers of ten."""

PERCENT = ("%", "percent", "per cent", "phần trăm", "pct")

ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st vs etc e.g i.e approx dept est fig no nos inc ltd co corp jan feb mar apr jun jul aug
    sep sept oct nov dec tp ths ts gs pgs ks bs q p tx h ub tt vd v.v đ th
    """.split()  # noqa: SIM905 - a list of words reads better as a text
)
"""Words whose full stop ends no sentence."""
