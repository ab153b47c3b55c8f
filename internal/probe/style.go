package probe

// css is the style of the HTML report: light and dark, narrow and wide, on paper.
const css = `
:root { color-scheme: light dark; --ok: light-dark(#1a7f37, #3fb950); --warning: light-dark(#9a6700, #d29922); --failed: light-dark(#cf222e, #f85149); --skipped: light-dark(#6e7781, #8b949e); --line: light-dark(#d0d7de, #30363d); --panel: light-dark(#f6f8fa, #161b22); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1f2328, #e6edf3); background: light-dark(#fff, #0d1117); overflow-wrap: anywhere; }
.ok { --c: var(--ok); } .warning { --c: var(--warning); } .failed { --c: var(--failed); } .skipped { --c: var(--skipped); }
.diagnosis { border-left: .4rem solid var(--c); background: var(--panel); padding: 1rem 1.25rem; border-radius: .25rem; }
.verdict { margin: 0; font-weight: 600; color: var(--c); }
h1 { font-size: 1.4rem; line-height: 1.3; margin: .25rem 0 .5rem; }
.next { margin: .25rem 0 0; }
pre { margin: .5rem 0 0; white-space: pre-wrap; font: .85rem/1.5 ui-monospace, monospace; user-select: all; }
.facts, .note { color: var(--skipped); font-size: .85rem; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
.waterfall { width: 100%; border-collapse: collapse; }
.waterfall th, .waterfall td { text-align: left; font-weight: normal; padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
.waterfall .time { text-align: right; font-variant-numeric: tabular-nums; }
.status { color: var(--c); font-weight: 600; }
.waterfall .bar { width: 60%; padding-right: 0; }
svg { display: block; width: 100%; height: .8rem; background: var(--panel); }
rect { fill: var(--c); }
article { border-left: .2rem solid var(--c); padding: 0 0 0 .9rem; margin: 0 0 1.1rem; break-inside: avoid; }
h3 { font-size: 1rem; margin: 0; }
h3 .status { font-size: .85rem; margin-left: .6rem; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: .1rem .75rem; margin: .25rem 0 0; font-size: .9rem; }
dt { color: var(--skipped); }
dd { margin: 0; font-family: ui-monospace, monospace; font-size: .82rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .25rem; } .waterfall .bar { width: 30%; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: 11px; } svg, rect, .diagnosis { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`
