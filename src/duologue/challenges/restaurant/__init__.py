"""Restaurant booking: DSTC6 track 1, end-to-end goal-oriented dialogue."""
