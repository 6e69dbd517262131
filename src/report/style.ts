/** The style of a report, for screens and paper. */
export const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto; max-width: 68rem; padding: 0 1rem }
h1 { font-size: 1.8rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin-bottom: .3rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem } thead { display: table-header-group }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #e3e3e3; vertical-align: top }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } .doubtful { font-style: italic }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; font-weight: 600 }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem }
figure { margin: 0; break-inside: avoid } figcaption { font-weight: 600; font-size: .85rem } svg { width: 100% } .swatch { width: 28px; vertical-align: middle }
.moment { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin-bottom: 1rem; break-inside: avoid } img { width: 100% }
.axes { stroke: #ddd; fill: none } .axes text { stroke: none; fill: #555; font-size: 11px }
.zero { stroke: #888; fill: none } .curve { fill: none; stroke-width: 1.6 } .marks { stroke-width: 6; stroke-linecap: round } .faint { opacity: .4; stroke-width: 4 } pre { overflow-x: auto; background: #f6f6f6; padding: .6rem; font-size: .8rem }
@media print {
  body { margin: 0; max-width: none; padding: 0; font-size: 10pt } tr, figure { break-inside: avoid }
  table { font-size: 7pt } th, td { padding: .1rem .3rem }
  h2, h3 { break-after: avoid } pre { white-space: pre-wrap; overflow-wrap: anywhere }
  .charts { grid-template-columns: 1fr 1fr } * { print-color-adjust: exact }
}
`;
