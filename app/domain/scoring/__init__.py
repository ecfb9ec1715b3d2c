"""Scores computed at query time: functions of plain values, with the clock passed in (requirement 9.4,
12.1).
"""
