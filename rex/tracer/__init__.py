"""Tracers: what runs a plan, natively or in Python, behind one interface."""

from rex.tracer.choose import NATIVE, Engine, choose, describe_engines, slow_engine_note, start
from rex.tracer.plan import Plan, Report

__all__ = ["NATIVE", "Engine", "Plan", "Report", "choose", "describe_engines", "slow_engine_note", "start"]
