"""Words by which transcripts of calls name their parts and their speakers, in the form in which they are compared."""

from __future__ import annotations

CALLS = (
    "call", "callid", "dialogid", "dialogueid", "conversationid", "session", "sessionid", "recording",
    "recordingid", "通话", "通话id", "通话编号", "通话号", "会话", "会话id", "会话编号", "对话", "对话id",
    "对话编号", "录音", "录音id", "录音编号", "流水号", "通话流水号", "呼叫流水号", "呼叫编号", "工单号", "id",
)  # fmt: skip
"""Names of what tells calls apart, the most telling first: an `id` beside another may be that of the row.

Names of columns and keys are compared in small letters without blanks, `_` and `-`.
"""
ROLES = ("role", "角色", "说话人角色", "身份")
"""Names of what tells staff and customer; a speaker beside it is the person."""
PERSONS = (
    "speaker", "author", "from", "speakerid", "speakerlabel", "channel", "channelid", "说话人",
    "说话者", "说话方", "讲话人", "发言人", "声道", "通道",
)  # fmt: skip
SPEAKERS = (*PERSONS, *ROLES)
"""Names of whoever speaks, by name or role."""
TEXTS = (
    "text", "utterance", "message", "content", "transcript", "sentence", "finalsentence", "onebest",
    "文本", "文字", "内容", "话语", "语句",
    "话术", "转写", "转写文本", "转写内容", "转写结果", "识别文本", "识别结果", "对话内容", "说话内容",
)  # fmt: skip
STARTS = (
    "start", "starttime", "startms", "begin", "begintime", "beginms", "bg", "timestamp", "datetime", "time", "开始",
    "开始时间", "起始时间", "说话时间", "发言时间", "时间戳", "时间",
)  # fmt: skip
"""Names of when an utterance begins, the most telling first."""
HEADS = ("date", "calltime", "日期", "通话时间", "来电时间", "通话日期")
"""Further names of what stands above a call in a text, beside those of the call and of its time."""
STAFF = frozenset(
    ("客服", "坐席", "座席", "话务员", "agent", "staff", "system", "operator", "service", "s", "[speaker 1]")
)
"""What files call the staff, in small letters."""
CUSTOMER = frozenset(("用户", "客户", "顾客", "机主", "user", "customer", "client", "caller", "u", "c", "[speaker 2]"))
"""What files call the customer, in small letters."""
STAFF_SIDES = ("客服", "坐席", "座席", "话务员", "agent", "staff", "system", "operator", "[speaker 1]")
"""Names of columns and keys that may hold what the staff says, alone or before one of `SIDE_TEXTS`."""
CUSTOMER_SIDES = ("用户", "客户", "顾客", "机主", "user", "customer", "client", "caller", "[speaker 2]")
"""Those of what the customer says."""
SIDE_TEXTS = (*TEXTS, "said", "说", "说的话")
TURNS = ("turns", "utterances", "messages", "content", "dialog", "dialogue", "conversation", "segments", "sentences",
         "resultdetail")  # fmt: skip
"""Keys under which a call has its turns, compared as names of columns are."""
WRAPPERS = ("calls", "dialogues", "dialogs", "conversations", "records", "data", "items", "results", "result")
"""Keys under which an object alone holds calls."""
