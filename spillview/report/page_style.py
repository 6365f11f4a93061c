"""The style sheet of the report's page: light, dark, narrow and printed."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --fg: #1c1f24; --bg: #fbfbfa; --dim: #5b6370;
  --line: #d8dbe0; --card: #ffffff; --bad: #b3261e; --good: #1b6b3a; --note: #6a4a00; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e6ea; --bg: #15171b;
  --dim: #9aa3b0; --line: #333841; --card: #1d2026; --bad: #ff8a80; --good: #7bd69a;
  --note: #f0c674; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--fg); overflow-wrap: anywhere;
  font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK JP", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0; }
p { margin: .4rem 0; }
bdi { unicode-bidi: isolate; }
code { font: .92em/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.note { color: var(--note); }
.note::before { content: "note: "; }
dd.note::before { content: none; }
.period, .where, .quiet { color: var(--dim); }
.where { font-size: .9em; }
.run { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 1rem 1.25rem; margin: 1rem 0; overflow: clip; break-inside: avoid; }
dl { display: grid; grid-template-columns: 7.5rem 1fr; gap: .1rem .75rem;
  margin: .75rem 0 0; padding-top: .75rem; border-top: 1px solid var(--line); }
dt { color: var(--dim); }
dd { margin: 0; max-height: 14rem; overflow: auto; min-width: 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th { text-align: left; color: var(--dim); font-weight: 600; white-space: nowrap; }
th, td { padding: .35rem .75rem .35rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); min-width: 4.5rem; }
td bdi { display: inline-block; max-width: 30rem; max-height: 6rem; overflow: auto; }
summary { font-size: 1.15rem; font-weight: 600; margin: 2.25rem 0 .6rem;
  cursor: pointer; }
ul { padding-left: 1.2rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .3rem; }  td bdi { max-width: 14rem; } }
@media print { :root { --fg: #000; --bg: #fff; --card: #fff; --dim: #444;
  --line: #bbb; --bad: #900; --good: #060; --note: #640; color-scheme: light; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  dd, td bdi { max-height: none; overflow: visible; }
  details::details-content { content-visibility: visible; }
  tr { break-inside: avoid; } }
"""
"""No colour without a meaning: red was never seen, green is well."""
