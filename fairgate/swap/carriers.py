"""Fields that may carry something of a person, by what they are called or what stands in them. A guess, and said to be.

The vocabulary is small on purpose: names of fields in English, Vietnamese (without its marks) and Chinese. A field that
it misses can be declared; one that it finds wrongly is answered with ``needed``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from unicodedata import combining, normalize

from fairgate.swap.features import texts, words

Kind = Literal["name", "honorific", "gender", "address", "year", "age", "school", "contact", "family", "origin", "text"]

_NAMES: Mapping[Kind, Sequence[str]] = {
    "honorific": ["title", "salutation", "honorific", "pronoun", "pronouns", "xung ho", "danh xung", "稱謂", "称谓"],
    "gender": ["gender", "sex", "gioi tinh", "性別", "性别"],
    "school": [
        *("school", "university", "college", "alma mater", "education", "degree"),
        *("truong", "truong hoc", "dai hoc", "hoc van", "bang cap", "學校", "学校", "大學", "大学", "學歷", "学历"),
    ],
    "year": [
        *("birth year", "year of birth", "birth date", "date of birth", "birthday", "dob", "graduation year"),
        *("year of graduation", "graduated", "nam sinh", "ngay sinh", "nam tot nghiep", "出生", "生日", "畢業", "毕业"),
    ],
    "age": ["age", "tuoi", "do tuoi", "年齡", "年龄"],
    "contact": [
        *("phone", "mobile", "telephone", "email", "e mail", "user name", "username"),
        *("dien thoai", "so dien thoai", "sdt", "電話", "电话", "手機", "手机", "郵箱", "邮箱", "電郵"),
    ],
    "address": [
        *("address", "street", "city", "town", "village", "district", "ward", "province", "county", "region", "state"),
        *("postcode", "post code", "postal code", "zip", "zip code", "hometown", "birthplace", "place of birth"),
        *(
            "dia chi",
            "que quan",
            "noi sinh",
            "noi o",
            "tinh",
            "thanh pho",
            "quan",
            "huyen",
            "phuong",
            "xa",
            "ma buu chinh",
        ),
        *("地址", "住址", "籍貫", "籍贯", "出生地", "縣市", "县市", "郵遞區號", "邮编"),
    ],
    "family": [
        *("marital status", "married", "spouse", "children", "dependants", "dependents", "maternity", "household"),
        *("hon nhan", "tinh trang hon nhan", "vo", "chong", "con cai", "so con", "thai san", "婚姻", "配偶", "子女"),
    ],
    "origin": [
        *("nationality", "ethnicity", "race", "religion", "language", "mother tongue", "accent", "citizenship"),
        *("quoc tich", "dan toc", "ton giao", "ngon ngu", "國籍", "国籍", "民族", "族群", "宗教", "語言", "语言"),
    ],
    "name": [
        *("name", "first name", "last name", "given name", "family name", "full name", "surname", "nickname"),
        *("ten", "ho ten", "ho va ten", "ho", "ten dem", "姓名", "名字", "姓氏"),
    ],
}

_OF_SOMETHING_ELSE = frozenset(
    ("product", "company", "employer", "bank", "file", "job", "brand", "san", "pham", "ty", "hang", "nghe")
)
"""Words beside ``name`` that make it the name of a thing."""

_YEARS = range(1930, 2036)
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|(?:\+|0)[\d .()-]{7,}")
_FREE_TEXT = 8
"""Words that a free text has, at the median."""


def kind_of(field: str, values: Sequence[Any]) -> Kind | None:
    """What a field may carry, by its name, else by its values; None where neither says so.

    :param values: of the cases that have the field
    """
    return _by_name(field) or _by_values([value for value in values if value is not None and value != ""])


def _by_name(field: str) -> Kind | None:
    parts = _parts(field)
    joined = f" {' '.join(parts)} "
    for kind, known in _NAMES.items():
        if kind == "name" and _OF_SOMETHING_ELSE & set(parts):
            continue
        if any(name in field if not name.isascii() else f" {name} " in joined for name in known):
            return kind
    return None


def _by_values(values: Sequence[Any]) -> Kind | None:
    if not values:
        return None
    said = ["".join(texts(value)).strip() for value in values]
    if all(len(text) == 4 and text.isascii() and text.isdigit() and int(text) in _YEARS for text in said):
        return "year"
    if all(_CONTACT.fullmatch(text) for text in said):
        return "contact"
    lengths = sorted(len(words(value)) for value in values)
    return "text" if lengths[len(lengths) // 2] >= _FREE_TEXT else None


def _parts(field: str) -> list[str]:
    """The words of a field's name: ``hoTen``, ``ho_ten`` and ``Họ tên`` are all ``ho ten``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", field)
    bare = "".join(one for one in normalize("NFD", spaced) if not combining(one)).replace("đ", "d").replace("Đ", "D")
    return re.findall(r"[^\W_]+", bare.casefold())
