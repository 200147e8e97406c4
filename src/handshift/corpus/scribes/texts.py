"""Neutral texts, written for this package, for examples and tests."""

ENGLISH = (
    "Dear Martha, the parcel you sent on Friday came this morning with the post van. Everything was whole "
    "except the blue jug, which lost its handle, but Jonas thinks he can glue it. We put the quilt on the "
    "bed at once; the nights are cold now and the stove in the back room smokes. Please tell Victor that "
    "his 24 plum trees have taken well, and that we expect a few jars of jam by next August. Kind regards "
    "to all of you, yours, Edith Quinn"
)

ENGLISH_NOTE = (
    "To whoever opens the workshop on Monday: the key to the tool cupboard hangs behind the door, on the "
    "left. Oil the lathe before you start, and write each job in the grey book with the hour and your "
    "name. Mr. Yates will fetch the two oak shelves about noon; he has paid 60 already and owes the rest. "
    "The glazier wants an answer by Thursday. If it rains, move the planks from the yard to the shed "
    "first. Thank you, and lock up well."
)

KOREAN = (
    "안녕하세요. 지난주에 보내 주신 편지와 사진은 잘 받았습니다. 뒷마당의 감나무는 올해도 열매가 "
    "많이 열려서 이웃들과 나누어 먹었어요. 동생은 읽던 책을 다 읽고 새 책을 두 권 샀습니다. "
    "아침에는 안개가 짙게 끼었지만 낮에는 햇볕이 따뜻해서 마루에 이불을 널었습니다. 다음 달에 "
    "내려오시면 함께 바닷가를 걷고 싶어요. 기차 시간은 미리 알려 주세요. 그럼 건강히 지내시고, "
    "외할머니께도 꼭 안부를 전해 주세요."
)

EXAMPLES: dict[str, str] = {"latin": ENGLISH, "hangul": KOREAN}
"""What the command line writes when it is given no text, by script."""
