"""The spoken challenge: knowledge-driven spoken dialogue (Huawei 2022), on KdConv's format."""
