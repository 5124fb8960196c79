#include "results/report/html_style.h"

namespace lockstep::report {

const char* const kStyle = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --muted: #57606a; --rule: #d0d7de; --tint: #f6f8fa;
  --c0: #0072b2; --c1: #c44e00; --c2: #007f5f; --c3: #a8457f; --c4: #b37700; --c5: #2a8fc4; --c6: #6b6b6b; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e6e8eb; --muted: #a0a8b2; --rule: #3a414a;
  --tint: #1d2228; --c0: #56b4e9; --c1: #ff8f4a; --c2: #35c99b; --c3: #e79ac6; --c4: #f0c24b; --c5: #9ad4f5;
  --c6: #b0b0b0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem;
  border-bottom: 1px solid var(--rule); padding-bottom: .2rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; }
a { color: var(--c0); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; font-size: .9rem; }
dt { color: var(--muted); } dd { margin: 0; }
ul.findings { padding-left: 1.2rem; }
pre { background: var(--tint); padding: .5rem .75rem; overflow-x: auto; font-size: .85rem; white-space: pre-wrap; }
figure { margin: 1.5rem 0; } figcaption { font-weight: 600; margin-bottom: .5rem; }
svg { display: block; width: 100%; height: auto; } svg.defs { position: absolute; width: 0; height: 0; }
svg .t { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .axis { fill: var(--muted); }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .bound { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 3; }
svg .bar { stroke-width: 2; } svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .hatch { fill: none; stroke: var(--paper); stroke-width: 1.2; }
svg .m { stroke: var(--paper); stroke-width: 1; }
svg .c0 { --c: var(--c0); } svg .c1 { --c: var(--c1); } svg .c2 { --c: var(--c2); } svg .c3 { --c: var(--c3); }
svg .c4 { --c: var(--c4); } svg .c5 { --c: var(--c5); } svg .c6 { --c: var(--c6); }
svg .m, svg .fill { fill: var(--c); } svg .bar, svg .curve { stroke: var(--c); }
svg .d1 { stroke-dasharray: 8 4; } svg .d2 { stroke-dasharray: 2 3; } svg .d3 { stroke-dasharray: 10 3 2 3; }
svg .d4 { stroke-dasharray: 5 2; } svg .d5 { stroke-dasharray: 14 4; } svg .d6 { stroke-dasharray: 4 6; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--muted); font-size: .9rem; }
.wide { overflow-x: auto; } .long { max-height: 24rem; overflow-y: auto; }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { color: var(--muted); font-weight: 600; } th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; }
th.n { min-width: 5.5rem; } td.n { white-space: nowrap; } td small { color: var(--muted); white-space: normal; }
td.x { white-space: pre-line; min-width: 6rem; max-width: 26rem; overflow-wrap: break-word; }
p.note { color: var(--muted); font-size: .85rem; margin: .2rem 0; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } nav { display: none; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; } .wide, .long { overflow: visible; max-height: none; } }
)css";

}  // namespace lockstep::report
