"""Scores computed at query time: functions of plain values and the current time (requirements 9.4, 12.1)."""
