// Builds the page of a job from the JSON in #data (page.h). Text enters the document as text nodes and charts as
// values; nothing from the data is parsed as markup.
"use strict";
(() => {
  // "__proto__" would be a key of the charts' objects.
  const data = JSON.parse(document.getElementById("data").textContent.replaceAll('"__proto__"', '"__proto__ "'));
  const report = data.report, traffic = data.traffic, activity = data.activity, sweep = data.sweep, repeats = data.repeats, glossary = data.glossary || {};
  const main = document.getElementById("main");
  // Okabe and Ito's colours, which are distinct with colour-blindness.
  const inks = ["#fff", "#000", "#fff", "#000", "#000", "#fff", "#000", "#000"];  // readable on them
  const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"];

  // ---- Text

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  // As the report's text writes them: times with three digits, bytes with at most one decimal.
  const scaled = (value, step, units, text) => {
    let at = 0;
    while (Math.abs(value) >= step * 0.9995 && at + 1 < units.length) { value /= step; ++at; }
    return `${text(value, at)} ${units[at]}`;
  };
  const kTimes = ["ns", "us", "ms", "s"];
  const time = (ns) => ns === 0 ? "0 s" : Math.abs(ns) < 1 ? `${Math.round(ns * 1000)} ps`
    : scaled(ns, 1000, kTimes, (v) => Math.abs(v) >= 100 ? Math.round(v) : v.toPrecision(3));
  // A time that was given, not measured: "1 us".
  const given_time = (ns) => ns === 0 ? "0 s" : scaled(ns, 1000, kTimes, String);
  const bytes = (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"], (v, at) => v.toFixed(at === 0 || Number.isInteger(v) ? 0 : 1));
  // A value axis from 0 (`from_zero`) or around the values, whose labels differ from each other.
  const value_axis = (values, text, { base, units, from_zero = true }) => {
    const known = values.filter((v) => v !== null && v !== undefined);
    const high = Math.max(...known, 0), low = from_zero ? 0 : Math.min(...known, high), kSteps = 5;
    const step = (high - low) / kSteps || high || 1, even = 2 ** Math.ceil(Math.log2(step));
    let unit = 1, at = 0;
    while (high / unit >= base && at + 1 < units.length) { unit *= base; ++at; }
    const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step / unit))));
    const formatter = (v) => v === 0 ? text(0) : `${(v / unit).toFixed(digits)} ${units[at]}`;
    return { type: "value", scale: !from_zero, axisLabel: { formatter },
      ...(base === 1024 && { interval: even, max: Math.ceil(high / even) * even }) };
  };
  // Times with as many digits as the values need to differ from each other, and how much they differ.
  const time_among = (values) => {
    const known = values.filter((v) => v !== null && v !== undefined), high = Math.max(...known), low = Math.min(...known);
    const at = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(high, 1)) / 3))), unit = 1000 ** at;
    const digits = high > low ? Math.min(6, Math.max(0, Math.ceil(-Math.log10((high - low) / unit / 20)))) : 0;
    return (v) => v === null || v === undefined ? "-" : high > low && high < 1.01 * low ? `${(v / unit).toFixed(digits)} ${["ns", "us", "ms", "s"][at]}` : time(v);
  };
  const closeness = (values) => {
    const known = values.filter((v) => v !== null && v !== undefined), high = Math.max(...known), low = Math.min(...known);
    return known.length > 1 && high < 1.01 * low ? [note(`These job times differ by at most ${(100 * (high / low - 1)).toPrecision(1)} %: the axis shows a small part of them.`)] : [];
  };
  const time_axis = (values, from_zero = true) => value_axis(values, time, { base: 1000, units: ["ns", "us", "ms", "s"], from_zero });
  const bytes_axis = (values) => value_axis(values, bytes, { base: 1024, units: ["B", "KiB", "MiB", "GiB", "TiB"] });
  const count = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const percent = (value) => `${(value * 100).toFixed(1)} %`;
  const gap_text = (value) => value > 10 ? "above 1000 %" : value < -10 ? "below -1000 %" : percent(value);
  const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
  // The keys of results, whose meanings are those of table headings.
  const key_meanings = new Map(Object.entries(glossary).flatMap(([name, { meaning, keys = {} }]) => Object.entries(keys).map(([key, own]) => [key, own || `${name}: ${meaning}`])));
  const is_defined = (name) => Boolean(glossary[name]) || key_meanings.has(name);
  // "gap_closed" as a word with its definition.
  const term = (name, text = name) => {
    if (!is_defined(name)) return document.createTextNode(text);
    return element("span", { class: "term", tabindex: "0", "data-term": name, "aria-describedby": "tip" }, text);
  };
  // Text whose terms, each at its first place, have their definitions. Singular and plural are one term, and so are
  // lower and upper case, but for single letters.
  const term_names = Object.keys(glossary).sort((a, b) => b.length - a.length);
  const term_of = new Map(term_names.map((name) => [name.toLowerCase(), name]));
  const terms = new RegExp(`(?<![\\w-])(${term_names.join("|") || "(?!)"})(e?s)?(?![\\w-])`, "gi");
  const linked = (text) => {
    const parts = [], seen = new Set();
    let at = 0;
    for (const found of String(text).matchAll(terms)) {
      const name = term_of.get(found[1].toLowerCase());
      if (seen.has(name) || (name.length === 1 && found[0] !== name)) continue;
      seen.add(name);
      parts.push(text.slice(at, found.index), term(name, found[0]));
      at = found.index + found[0].length;
    }
    return [...parts, String(text).slice(at)];
  };
  const note = (...parts) => element("p", { class: "note" }, ...parts.flatMap((part) => typeof part === "string" ? linked(part) : part));
  const tip = document.getElementById("tip");
  const show_tip = (event) => {
    const target = event.target.closest && event.target.closest(".term");
    tip.hidden = !target;
    if (!target) return;
    const name = target.dataset.term, entry = glossary[name];
    tip.replaceChildren(element("p", {}, entry ? `${name}: ${entry.meaning}` : key_meanings.get(name)));
    if (entry) tip.append(element("p", {}, entry.quote ? `“${entry.quote}” (${entry.place})` : "Not defined in the dissertation."));
    const box = target.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 440)) + scrollX}px`;
    tip.style.top = `${box.bottom + scrollY + 6}px`;
  };
  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, show_tip);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // ---- Tables and their CSV

  const save = (name, text) => {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const csv_field = (value) => {
    const text = String(value ?? "");
    // A leading =, +, - or @ would be a formula in a spreadsheet.
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = ({ csv: { columns, rows } = {}, ...table }) => [(columns || table.columns).map((c) => c.key || c), ...(rows || table.rows)]
    .map((row) => row.map(csv_field).join(",")).join("\n") + "\n";
  // table: {name, columns: [{key, title, text: value => string, term}], rows: [[value, ...]], csv}; csv: the columns and
  // rows of the file, if they are others: one row for each technique and K.
  const table_element = (table, rows = table.rows) => {
    const head = element("tr");
    for (const c of table.columns) {
      const title = c.title || c.key, name = c.term || [title, c.key].find(is_defined);
      head.append(element("th", { scope: "col" }, ...(name ? [term(name, title)] : linked(title))));
    }
    const body = element("tbody");
    for (const row of rows)
      body.append(element("tr", {}, ...row.map((value, i) =>
        element("td", {}, value === null || value === undefined ? "-" : table.columns[i].is_term ? term(value) : (table.columns[i].text || String)(value)))));
    return element("div", { class: "table", tabindex: "0", role: "region", "aria-label": `${table.title || table.name}, table` },
      element("table", { id: `table-${table.name}` }, element("thead", {}, head), body));
  };
  const csv_button = (table) => {
    const button = element("button", { type: "button", "data-csv": table().name }, "CSV");
    button.addEventListener("click", () => save(`${table().name}.csv`, csv(table())));
    button.setAttribute("aria-label", `Download the data of this chart as CSV: ${table().name}`);
    return button;
  };

  // ---- Charts

  const charts = [];
  const resolved = (name) => {  // light-dark(a, b) as a colour
    const probe = element("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  // A name in a legend with its definition, in lines for a tooltip.
  const explained = (name) => {
    const entry = glossary[name.replace(/, K = .*/, "")];
    return entry ? `${name}: ${entry.meaning}`.replace(/(.{1,60})( |$)/g, "$1\n").trimEnd() : name;
  };
  const draw = (chart) => {
    const text = resolved("--text"), line = resolved("--line"), panel = resolved("--panel");
    const option = chart.option();
    const grid = option.grid || {};
    const axis = (one, gap) => ({ axisLine: { lineStyle: { color: line } }, splitLine: { lineStyle: { color: line } },
      nameTextStyle: { color: text }, nameLocation: "middle", nameGap: gap, ...one,
      axisLabel: { color: text, hideOverlap: true, ...one.axisLabel } });
    for (const [key, gap] of [["xAxis", 30], ["yAxis", (grid.left || 0) - 20]])
      if (option[key]) option[key] = [].concat(option[key]).map((one) => axis(one, gap));
    // The wheel alone scrolls the page.
    for (const zoom of option.dataZoom || []) zoom.zoomOnMouseWheel = "ctrl";
    if (option.visualMap) {
      option.visualMap.textStyle = { color: text };
      option.visualMap.inRange = { color: [0, 1, 2, 3, 4].map((i) => resolved(`--heat-${i}`)) };
    }
    option.legend = option.legend && { textStyle: { color: text }, type: "scroll", ...option.legend,
      tooltip: { show: true, formatter: ({ name }) => explained(name) } };
    chart.instance.setOption({ color: palette, animation: false, textStyle: { color: text },
      aria: { enabled: true, label: { description: chart.label }, decal: { show: Boolean(chart.decal) } },
      ...option,
      // Rich text: a tooltip is drawn, and never HTML.
      tooltip: { renderMode: "richText", confine: true, backgroundColor: panel, borderColor: line,
        textStyle: { color: text }, ...option.tooltip } }, true);
  };
  const add_chart = (parent, { id, label, option, table, tall, decal, controls = [] }) => {
    const box = element("div", { class: tall ? "chart tall" : "chart", id, tabindex: "0", role: "img", "aria-label": label });
    const list = element("div", { class: "controls" }, ...controls, csv_button(table));
    const details = element("details", {}, element("summary", {}, "Data"));
    const fill = () => {
      while (details.children.length > 1) details.lastChild.remove();
      if (!details.open) return;
      const shown = table();
      details.append(table_element(shown, shown.rows.slice(0, 2000)));
      if (shown.rows.length > 2000) details.append(note(`2,000 of ${count(shown.rows.length)} rows; the CSV has all.`));
    };
    details.addEventListener("toggle", fill);
    const spoken = element("p", { class: "spoken", "aria-live": "polite" });
    parent.append(list, element("figure", {}, box), spoken, details);
    const chart = { instance: null, option, label, decal, box, at: -1, series: 0 };
    // After another choice of what it shows.
    chart.update = () => { if (chart.instance) draw(chart); fill(); };
    if ((option().dataZoom || []).length) list.append(element("span", { class: "note" }, "Zoom: Ctrl and the wheel, or + and -. Move: drag, or Shift and the arrow keys."));
    // Arrow keys move over the values (left, right) and the series (up, down), and show their tooltips.
    box.addEventListener("keydown", (event) => {
      if (!chart.instance) return;
      const shown = chart.instance.getOption();
      // Where the selected value is in the part that dataZoom i shows, in percent of its axis; none: undefined.
      const place = ({ yAxisIndex }, [x, y]) => {
        const vertical = yAxisIndex !== undefined && [].concat(yAxisIndex).length, axis = [].concat((vertical ? shown.yAxis : shown.xAxis) || [])[0];
        return axis && axis.type === "category" ? (100 * ((vertical ? y : x) + 0.5)) / axis.data.length : undefined;
      };
      const selected = () => {
        const one = shown.series.filter((any) => any.data && any.data.length)[chart.series] || { data: [] }, item = one.data[chart.at];
        const value = Array.isArray(item) ? item : item && item.value;
        if (!Array.isArray(value)) return [chart.at, chart.at];
        const { x = 0, y = 1 } = one.encode || {};
        return [x, y].map((at) => value[[].concat(at)[0]]);
      };
      const zoom = { "+": 0.5, "=": 0.5, "-": 2 }[event.key];
      if (zoom && (shown.dataZoom || []).length && !event.ctrlKey) {
        shown.dataZoom.forEach((one, i) => {
          const { start, end } = one, middle = (chart.at >= 0 && place(one, selected())) || (start + end) / 2, half = Math.min(50, (end - start) * zoom / 2);
          const from = Math.max(0, Math.min(100 - 2 * half, middle - half));
          chart.instance.dispatchAction({ type: "dataZoom", dataZoomIndex: i, start: from, end: from + 2 * half });
        });
        return;
      }
      const axes = { ArrowRight: [1, "x"], ArrowLeft: [-1, "x"], ArrowDown: [1, "y"], ArrowUp: [-1, "y"] }[event.key];
      if (axes && event.shiftKey && (shown.dataZoom || []).length) {
        event.preventDefault();
        shown.dataZoom.forEach(({ start, end, yAxisIndex }, i) => {
          if ((yAxisIndex === undefined || ![].concat(yAxisIndex).length ? "x" : "y") !== axes[1]) return;
          const from = Math.max(0, Math.min(100 - (end - start), start + axes[0] * (end - start) / 4));
          chart.instance.dispatchAction({ type: "dataZoom", dataZoomIndex: i, start: from, end: from + (end - start) });
        });
        return;
      }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] || 0, other = { ArrowDown: 1, ArrowUp: -1 }[event.key] || 0;
      const series = shown.series.map((one, i) => ({ ...one, index: i })).filter((one) => one.data && one.data.length);
      if ((!step && !other) || !series.length) return;
      event.preventDefault();
      // With one series all four keys move over its values.
      if (series.length > 1 && other && chart.at >= 0) chart.series = (chart.series + other + series.length) % series.length;
      const { data, index, name } = series[chart.series];
      if (step || series.length === 1 || chart.at < 0) chart.at = (chart.at + (step || other) + data.length) % data.length;
      (shown.dataZoom || []).forEach((one, i) => {
        const at = place(one, selected()), { start, end } = one;
        if (at === undefined || (at >= start && at <= end)) return;
        const from = Math.max(0, Math.min(100 - (end - start), at - (end - start) / 2));
        chart.instance.dispatchAction({ type: "dataZoom", dataZoomIndex: i, start: from, end: from + (end - start) });
      });
      chart.instance.dispatchAction({ type: "showTip", seriesIndex: index, dataIndex: chart.at });
      const category = [shown.xAxis, shown.yAxis].map((axes) => axes && axes[0]).find((one) => one && one.type === "category");
      const item = data[chart.at], value = item !== null && typeof item === "object" && !Array.isArray(item) ? item.value : item;
      const one = { name: (item && item.name) || (category && category.data[chart.at]) || "", seriesName: name, seriesIndex: index, dataIndex: chart.at, value, data: item };
      const tooltip = shown.tooltip[0], by_axis = tooltip.trigger === "axis";
      spoken.textContent = (tooltip.formatter ? tooltip.formatter(by_axis ? [one] : one)
        : `${one.name}, ${name}: ${(tooltip.valueFormatter || String)(value)}`).replaceAll("\n", ", ");
    });
    box.addEventListener("blur", () => chart.instance && chart.instance.dispatchAction({ type: "hideTip" }));
    charts.push(chart);
    return chart;
  };
  const chooser = (label, options, changed) => {
    const select = element("select", { "aria-label": label });
    options.forEach((name, i) => select.append(element("option", { value: String(i) }, name)));
    select.addEventListener("change", changed);
    return { element: element("label", {}, `${label} `, select), get value() { return Number(select.value); } };
  };
  const section = (id, title, ...intro) => {
    const made = element("section", { id, "aria-labelledby": `${id}-title` },
      element("h2", { id: `${id}-title` }, ...linked(title)), ...intro);
    main.append(made);
    return made;
  };
  // Names as rows; long ones are truncated, and a narrow page keeps room for the values.
  const name_axis = (names) => ({ type: "category", inverse: true, data: names,
    axisLabel: { width: Math.min(260, innerWidth * 0.3), overflow: "truncate" } });
  const name_grid = (top, bottom) => ({ left: 10, right: 40, top, bottom, containLabel: true });
  const group_name = (i, group, size) => group === 1 ? `${i}` : `${i * group}-${Math.min(size, (i + 1) * group) - 1}`;
  const label_of = (result) => result.slots ? `${result.technique}, K = ${result.slots}` : result.technique;

  // ---- Sections

  // What the verdict depends on, as far as the result shows it.
  const verdict_changes = () => {
    const lines = [], results = report.results || [], verdict = report.verdict || {};
    const name = (technique, slots) => label_of({ technique, slots });
    const wormhole = results.find((r) => r.technique === "wormhole");
    const worms = verdict.with_long_worms;
    if (worms)
      lines.push(`Worm limit: with ${bytes(worms.worm_limit)} wormhole takes ${time(worms.wormhole_ns)}; `
        + (worms.changes_verdict ? (worms.tie ? "then no technique differs by more than 1 %." : `then ${name(worms.technique, worms.slots)} suits the job.`) : "the verdict stays."));
    for (const technique of new Set(results.filter((r) => r.slots).map((r) => r.technique))) {
      const of = results.filter((r) => r.technique === technique).sort((a, b) => a.slots - b.slots);
      const best = Math.min(...of.map((r) => r.time_ns)), enough = of.find((r) => r.time_ns <= best * 1.01);
      if (of.length > 1)
        lines.push(`Slots: K = ${enough.slots} is enough for ${technique}: its job time is within 1 % of the shortest, ${time(best)}, with K = ${of.map((r) => r.slots).join(", ")}.`);
    }
    if (sweep && sweep.reconfiguration && wormhole) {
      const { times_ns: times, techniques: lists } = sweep.reconfiguration;
      const faster = times.filter((_, i) => Object.values(lists).some((list) => list[i] !== null && list[i] < wormhole.time_ns));
      lines.push(faster.length ? `Reconfiguration: a technique with circuits is faster than wormhole up to ${given_time(faster[faster.length - 1])} (of the times emulated, up to ${given_time(times[times.length - 1])}).`
        : "Reconfiguration: no technique with circuits is faster than wormhole, whatever it takes.");
    }
    for (const r of results)
      if (r.time_without_hints_ns) lines.push(`Hints: without the program's hints ${label_of(r)} takes ${time(r.time_without_hints_ns)} instead of ${time(r.time_ns)}.`);
    return lines;
  };

  const summary = () => {
    const recorded = (report && report.job && report.job.recorded) || {};
    const name = recorded.application || data.source || "job";
    document.getElementById("title").textContent = `${name} on a hybrid switch`;
    if (!report) {
      main.append(note("No result of an emulation is part of this page."));
      return;
    }
    const facts = element("ul", { class: "facts" });
    const fact = (title, value) => facts.append(element("li", {}, ...linked(title), ": ", element("strong", {}, String(value))));
    fact("ranks", count(report.job.ranks));
    fact("ports", count(report.job.ports));
    fact("phases", (report.phases || []).length);
    const any = report.results.find((r) => r.messages);
    if (any) { fact("messages", count(any.messages)); fact("bytes", bytes(any.bytes)); }
    if (recorded.hosts) fact("hosts", recorded.hosts);
    if (recorded.mpi) fact("MPI", recorded.mpi.replace(/ Version:\s*/, " "));
    main.append(facts);
    const verdict = repeats ? repeats.verdict.sentence : report.verdict.sentence;
    main.append(element("div", { class: "verdict", role: "note", "aria-label": "verdict" }, element("p", { id: "verdict" }, ...linked(verdict))));
    if (repeats) main.append(note(`The page shows run ${repeats.shown + 1} of ${repeats.runs}, whose job time with ${repeats.reference} is the median. Of this run alone: ${report.verdict.sentence}`));
    const changes = verdict_changes();
    if (changes.length)
      main.append(note("What the verdict depends on:"), element("ul", { id: "verdict-changes" }, ...changes.map((text) => element("li", {}, ...linked(text)))));
    for (const text of report.warnings || []) main.append(element("p", { class: "warning" }, text));
    for (const one of report.failed || []) main.append(element("p", { class: "warning" }, `${one.technique}: ${one.reason}`));
    for (const name of report.left_out || []) main.append(note(`Left out, since the network does not support it: ${name}`));
    if (report.repeat) main.append(note("Repeat: ", element("code", {}, report.repeat)));
  };

  const spread = () => {
    const rows = repeats.results, label = (r) => label_of(r);
    const part = section("repeats", `Job time over ${repeats.runs} runs`, note(`Median of the runs; the line ends at the shortest and the longest. Within a run, all techniques are emulated with the same computation: the time ratio, to ${repeats.reference} in the same run, varies less.`));
    const of = (r) => [r.time_ns.median, r.time_ns.min, r.time_ns.max, r.time_ratio.median, r.time_ratio.min, r.time_ratio.max];
    const table = () => ({ name: "repeats", title: "Job time over the runs", columns: [{ key: "technique", is_term: true }, { key: "slots", title: "K", term: "K", text: (v) => v || "-" },
      ...["median", "min", "max"].map((k) => ({ key: `time_ns_${k}`, title: `job time, ${k}`, text: time })),
      ...["median", "min", "max"].map((k) => ({ key: `time_ratio_${k}`, title: `time ratio, ${k}`, text: (v) => v.toFixed(3) }))],
      rows: rows.map((r) => [r.technique, r.slots, ...of(r)]) });
    add_chart(part, { id: "chart-repeats", table, label: `Job time over ${repeats.runs} runs: ${rows.map((r) => `${label(r)} ${time(r.time_ns.median)}, ${time(r.time_ns.min)} to ${time(r.time_ns.max)}`).join("; ")}`,
      option: () => ({ grid: name_grid(20, 30), xAxis: time_axis(rows.map((r) => r.time_ns.max)), yAxis: name_axis(rows.map(label)),
        tooltip: { formatter: ({ dataIndex: i }) => `${label(rows[i])}: ${time(rows[i].time_ns.median)}\n${time(rows[i].time_ns.min)} to ${time(rows[i].time_ns.max)}` },
        series: [{ type: "bar", name: "median", data: rows.map((r) => r.time_ns.median) },
          { type: "custom", name: "extremes", encode: { x: [1, 2], y: 0 }, data: rows.map((r, i) => [i, r.time_ns.min, r.time_ns.max]),
            renderItem: (_, api) => {
              const [x1, y] = api.coord([api.value(1), api.value(0)]), [x2] = api.coord([api.value(2), api.value(0)]);
              const line = (shape) => ({ type: "line", shape, style: { stroke: resolved("--text"), lineWidth: 2 } });
              return { type: "group", children: [line({ x1, x2, y1: y, y2: y }), ...[x1, x2].map((x) => line({ x1: x, x2: x, y1: y - 6, y2: y + 6 }))] };
            } }] }) });
    part.append(table_element(table()));
  };

  const techniques = () => {
    const part = section("techniques", "Job time by technique",
      note("Shorter is better. The dashed lines are bounds: no switch is faster than \"uncontended\". \"Ideal\" is wormhole without scheduling delay, the reference of the gap closed; circuits can be faster."));
    const rows = report.results;
    const base = rows.find((r) => r.technique === "wormhole");
    const bounds = report.bounds || {};
    const lines = [["no-network", bounds.no_network_ns], ["uncontended", bounds.uncontended_ns], ["ideal", bounds.ideal_ns]].filter((l) => l[1]);
    const table = () => ({ name: "techniques", title: "Techniques", columns: [
      { key: "technique", is_term: true }, { key: "slots", title: "K", term: "K", text: (v) => v || "-" },
      { key: "time_ns", title: "job time", text: time },
      { key: "speedup", term: "speedup", text: (v) => `${v.toFixed(3)}x` },
      { key: "gap_closed", title: "gap closed", term: "gap closed", text: gap_text },
      { key: "network_wait_ns", title: "network wait", term: "network wait", text: time },
      { key: "utilisation", term: "utilisation", text: percent },
      { key: "latency_p50_ns", title: "p50", term: "p50", text: time }, { key: "latency_p99_ns", title: "p99", term: "p99", text: time },
      { key: "hit_rate", title: "hit rate", term: "hit rate", text: percent }],
      rows: [...rows.map((r) => [r.technique, r.slots, r.time_ns, base ? base.time_ns / r.time_ns : null, r.gap_closed,
        r.network_wait_ns, r.utilisation, r.latency_ns && r.latency_ns.p50, r.latency_ns && r.latency_ns.p99, r.hit_rate]),
      ...lines.map(([name, ns]) => [name, null, ns, base ? base.time_ns / ns : null, null, null, null, null, null, null])] });
    const axis = time_axis(rows.map((r) => r.time_ns));
    add_chart(part, { id: "chart-techniques", table, decal: false,
      label: `Job time by technique: ${rows.map((r) => `${label_of(r)} ${time(r.time_ns)}`).join(", ")}; bounds: ${lines.map(([name, ns]) => `${name} ${time(ns)}`).join(", ")}`,
      option: () => ({
        grid: name_grid(30, 20),
        xAxis: { ...axis, axisLabel: { ...axis.axisLabel, margin: 22 } },  // below the names of the bounds
        yAxis: name_axis(rows.map(label_of)),
        tooltip: { trigger: "item", formatter: (p) => `${p.name}: ${time(p.value)}` },
        series: [{ type: "bar", name: "job time", data: rows.map((r) => r.time_ns),
          label: { show: true, position: "insideLeft", formatter: (p) => time(p.value), color: "#fff" },
          markLine: { symbol: "none", lineStyle: { type: "dashed", color: palette[5] },
            label: { formatter: (p) => p.name, color: palette[5] },
            data: lines.map(([name, value]) => ({ name, xAxis: value,
              label: name === "uncontended" ? { position: "start" } : { align: name === "ideal" ? "left" : "right" } })) } }] }) });
    part.append(table_element(table()));
  };

  const waits = () => {
    const rows = report.results.filter((r) => r.network_wait_parts_ns);
    if (!rows.length) return;
    const parts = Object.keys(rows[0].network_wait_parts_ns);
    const names = { packet_plane: "packet plane", slot_wait: "slot wait" };
    const causes = parts.filter((p) => p !== "other").map((p) => names[p] || p).join(", ");
    const part = section("waits", "Where the time goes", note(`Mean network wait of a rank, by cause: ${causes}${parts.includes("other") ? "; other: the rest without slots, from limits of worms, or request and grant of a circuit" : ""}.`));
    const table = () => ({ name: "network-wait", title: "Network wait by cause", columns: [{ key: "technique", is_term: true }, { key: "slots", title: "K", term: "K", text: (v) => v || "-" },
      ...parts.map((p) => ({ key: `${p}_ns`, title: names[p] || p, text: time })), { key: "rank_wait_ns", title: "other ranks", text: time }],
      rows: rows.map((r) => [r.technique, r.slots, ...parts.map((p) => r.network_wait_parts_ns[p]), r.rank_wait_ns]) });
    let chart;
    const others = chooser("Waiting for other ranks", ["left out", "shown"], () => chart.update());
    chart = add_chart(part, { id: "chart-waits", table, decal: true, controls: rows.some((r) => r.rank_wait_ns) ? [others.element] : [],
      label: `Wait for the network by cause: ${rows.map((r) => `${label_of(r)} ${time(r.network_wait_ns)}`).join(", ")}`,
      option: () => {
        const all = [...parts.map((p) => [names[p] || p, (r) => r.network_wait_parts_ns[p]]), ...(others.value ? [["other ranks", (r) => r.rank_wait_ns]] : [])];
        return { legend: { top: 0 }, grid: name_grid(40, 20),
          xAxis: time_axis(rows.map((r) => r.network_wait_ns + (others.value ? r.rank_wait_ns : 0))),
          yAxis: name_axis(rows.map(label_of)),
          tooltip: { trigger: "item", formatter: (p) => `${p.name}\n${p.seriesName}: ${time(p.value)}` },
          series: all.map(([name, of]) => ({ type: "bar", stack: "wait", name, data: rows.map(of) })) };
      } });
    if (rows.some((r) => parts.some((p) => r.network_wait_parts_ns[p] < 0)))
      part.append(note("A part left of 0 is negative: the job is faster with this cause than without it. For instance, circuits do not go through the converters that \"ideal\" has, or a short worm is not kept behind a long message."));
    const ranks = rows.find((r) => r.rank_wait_ns);
    if (ranks) part.append(note(`A rank also waits for other ranks: ${time(ranks.rank_wait_ns)} on average, however fast the network is.`));
  };

  const calls = () => {
    const list = report.calls || [];
    if (!list.length) return;
    const results = report.results.filter((r) => r.call_waits_ns);
    const others = (report.bounds || {}).no_network_call_waits_ns;
    const file = (one) => one.file.slice(one.file.lastIndexOf("/") + 1);
    const place = (one) => one.file ? `${file(one)}:${one.line}, ${one.function}` : one.function;
    const part = section("calls", "Calls in the source", note("What each call of MPI sends through the switch, and how long a rank waits in it (mean), by technique. \"Other ranks\": its wait without any network; a slower network may shorten that part, when the rank itself arrives later."));
    const indices = list.map((_, i) => i);  // by waiting
    let chart;
    const order = chooser("Order", ["by waiting", "by bytes"], () => {
      if (order.value) indices.sort((i, j) => list[j].bytes - list[i].bytes || i - j); else indices.sort((i, j) => i - j);
      chart.update();
      part.querySelector(".table").replaceWith(first_rows());
    });
    const columns = [{ key: "call" }, { key: "function" }, { key: "file" }, { key: "line" }, { key: "messages", text: count }, { key: "bytes", text: bytes }];
    const values = (i) => [list[i].call, list[i].function, file(list[i]), list[i].line || null, list[i].messages, list[i].bytes];
    const waits = [...results.map((r) => [r.technique, r.slots, r.call_waits_ns]), ...(others ? [["no-network", 0, others]] : [])];
    const wait_name = ([technique, slots]) => technique === "no-network" ? "other ranks" : label_of({ technique, slots });
    const table = () => ({ name: "calls", title: "Calls in the source", columns: [...columns, ...waits.map((w) => ({ key: wait_name(w), text: time }))],
      rows: indices.map((i) => [...values(i), ...waits.map((w) => w[2][i])]),
      csv: { columns: [...columns, "technique", "slots", "call_wait_ns"], rows: indices.flatMap((i) => waits.map(([technique, slots, of]) => [...values(i), technique, slots, of[i]])) } });
    const shown = () => indices.slice(0, 15);
    const first_rows = () => table_element(table(), table().rows.slice(0, 15));
    chart = add_chart(part, { id: "chart-calls", table, decal: true, controls: [order.element],
      label: `Wait by call: ${shown().map((i) => `${list[i].call} in ${place(list[i])} ${results.length ? time(results[0].call_waits_ns[i]) : "-"}`).join("; ")}`,
      option: () => ({ legend: { top: 0 }, grid: name_grid(40, 20),
        xAxis: time_axis(waits.flatMap((w) => shown().map((i) => w[2][i]))),
        yAxis: name_axis(shown().map((i) => `${list[i].call}, ${place(list[i])}`)),
        tooltip: { trigger: "axis", valueFormatter: time },
        series: waits.map((w) => ({ type: "bar", name: wait_name(w), data: shown().map((i) => w[2][i]) })) }) });
    part.append(first_rows());
    if (list.length > 15) part.append(note(`The first 15 of ${count(list.length)} calls in this order; the CSV has all.`));
  };

  const slots = () => {
    const kinds = [...new Set(report.results.filter((r) => r.slots).map((r) => r.technique))];
    const values = [...new Set(report.results.filter((r) => r.slots).map((r) => r.slots))].sort((a, b) => a - b);
    if (!kinds.length) return;
    const part = section("slots", "Job time by number of slots", note("K: the configurations of a TDM cycle."));
    if (values.length < 2) {
      part.append(note(`One K was emulated. More: `, element("code", {}, `${report.repeat.replace(/ --slots[ =]\S+/g, "")} --slots 2,4,8`)));
      return;
    }
    const of = (kind, k) => report.results.find((r) => r.technique === kind && r.slots === k);
    const all = report.results.filter((r) => r.slots).map((r) => r.time_ns), among = time_among(all);
    part.append(...closeness(all));
    const table = () => ({ name: "slots", title: "Job time by K", columns: [{ key: "slots", title: "K", term: "K" }, ...kinds.map((k) => ({ key: `${k}_ns`, title: k, text: among }))],
      rows: values.map((v) => [v, ...kinds.map((kind) => (of(kind, v) || {}).time_ns)]),
      csv: { columns: ["technique", "slots", "time_ns"], rows: report.results.filter((r) => r.slots).map((r) => [r.technique, r.slots, r.time_ns]) } });
    add_chart(part, { id: "chart-slots", table,
      label: `Job time by K: ${table().rows.map((r) => `K = ${r[0]}: ${r.slice(1).map(among).join(" / ")}`).join("; ")}`,
      option: () => ({ legend: { top: 0 }, grid: { left: 80, right: 30, top: 40, bottom: 40 },
        xAxis: { type: "category", name: "K", data: values.map(String) },
        yAxis: time_axis(table().rows.flatMap((r) => r.slice(1)), false),
        tooltip: { trigger: "axis", valueFormatter: among },
        series: kinds.map((kind) => ({ type: "line", name: kind, symbolSize: 9, data: values.map((v) => (of(kind, v) || {}).time_ns ?? null) })) }) });
  };

  // A heat map of rows over time. cells: [[interval, row, value]].
  const heat_option = ({ times, rows, row_title, cells, largest, text, describe }) => ({
    grid: { left: 100, right: 120, top: 20, bottom: 60 },
    xAxis: { type: "category", data: times.map(time), splitLine: { show: false } },
    yAxis: { type: "category", name: row_title, inverse: true, data: rows, splitLine: { show: false } },
    dataZoom: [{ type: "inside", filterMode: "none" }],
    visualMap: { min: 0, max: largest, calculable: true, orient: "vertical", right: 0, top: "center", formatter: text },
    tooltip: { formatter: (p) => describe(p.value) },
    series: [{ type: "heatmap", name: "values", progressive: 5000, data: cells }] });

  const matrix = () => {
    const group = traffic.group, size = Math.ceil(traffic.ranks / group);
    const ranks = (i) => group_name(i, group, traffic.ranks);
    const part = section("matrix", "Communication matrix",
      note("Who sends to whom: rows are senders, columns are receivers. Collectives are the messages that their algorithms send. "
        + (group > 1 ? `Each cell is ${group} by ${group} ranks, since the job has many.` : "")));
    let chart;
    const redraw = () => chart && chart.update();
    const phase = chooser("Phase", ["all", ...traffic.phases], redraw);
    const is_collective = (o) => !["point-to-point", "one-sided"].includes(traffic.operations[o]);
    const collectives = traffic.operations.filter((_, o) => is_collective(o)).length;
    const all_collectives = traffic.operations.length + 1;
    const operation = chooser("Operation", ["all", ...traffic.operations, ...(collectives > 1 ? ["all collectives"] : [])], redraw);
    const measure = chooser("Measure", ["bytes", "messages"], redraw);
    const cells = () => {
      const sums = new Map();
      for (const [p, o, source, destination, messages, volume] of traffic.cells) {
        if (phase.value && p !== phase.value - 1) continue;
        if (operation.value === all_collectives ? !is_collective(o) : operation.value && o !== operation.value - 1) continue;
        const key = source * size + destination, old = sums.get(key) || [source, destination, 0, 0];
        old[2] += messages; old[3] += volume;
        sums.set(key, old);
      }
      return [...sums.values()];
    };
    const table = () => ({ name: "matrix", title: "Communication matrix", columns: [{ key: "source" }, { key: "destination" },
      { key: "messages", text: count }, { key: "bytes", text: bytes }], rows: cells().map((c) => [ranks(c[0]), ranks(c[1]), c[2], c[3]]) });
    chart = add_chart(part, { id: "chart-matrix", tall: true, table,
      controls: [phase.element, operation.element, measure.element],
      label: `Communication matrix of ${traffic.ranks} ranks; the table below has its values`,
      option: () => {
        const found = cells(), text = measure.value ? count : bytes;
        const at = measure.value ? 2 : 3;
        const names = Array.from({ length: size }, (_, i) => ranks(i));
        const largest = found.reduce((most, c) => Math.max(most, c[at]), 1);
        return { grid: { left: 100, right: 120, top: 30, bottom: 70 },
          xAxis: { type: "category", name: "to", data: names, splitLine: { show: false } },
          // About 20 labels fit one above the other.
          yAxis: { type: "category", name: "from", inverse: true, data: names, splitLine: { show: false }, axisLabel: { interval: Math.ceil(size / 20) - 1 } },
          dataZoom: [{ type: "inside", xAxisIndex: 0, filterMode: "none" }, { type: "inside", yAxisIndex: 0, filterMode: "none" }],
          visualMap: { min: 0, max: largest, calculable: true, orient: "vertical", right: 0, top: "center", formatter: text },
          tooltip: { formatter: (p) => `${names[p.value[1]]} to ${names[p.value[0]]}\n${bytes(p.data.all[3])}, ${counted(p.data.all[2], "message")}` },
          series: [{ type: "heatmap", name: "traffic", progressive: 5000, data: found.map((c) => ({ value: [c[1], c[0], c[at]], all: c })) }] };
      } });
  };

  const timeline = () => {
    const width = traffic.bins.width_ns, operations = traffic.operations;
    const part = section("time", "Traffic over time",
      note(`Bytes sent at their recorded times, in ${traffic.bins.ranks.length && traffic.bins.ranks[0].length} intervals of ${time(width)}, by operation.`));
    const bins = traffic.bins.operations;
    const times = bins.length ? bins[0].map((_, i) => i * width) : [];
    const table = () => ({ name: "traffic-over-time", title: "Traffic over time", columns: [{ key: "begin_ns", title: "begin", text: time }, ...operations.map((o) => ({ key: o, text: bytes }))],
      rows: times.map((t, i) => [t, ...bins.map((b) => b[i])]) });
    add_chart(part, { id: "chart-time", table, label: `Bytes sent over time by operation: ${operations.map((o, i) => `${o} ${bytes(bins[i].reduce((a, b) => a + b, 0))}`).join(", ")}`,
      option: () => ({ legend: { top: 0 }, grid: { left: 80, right: 30, top: 40, bottom: 60 },
        xAxis: { type: "category", data: times.map(time) }, yAxis: bytes_axis(times.map((_, i) => bins.reduce((sum, b) => sum + b[i], 0))),
        dataZoom: [{ type: "inside" }], tooltip: { trigger: "axis", valueFormatter: bytes },
        series: operations.map((o, i) => ({ type: "bar", stack: "bytes", barWidth: "99%", name: o, data: bins[i] })) }) });
    const group = traffic.bins.group;
    const ranks = (i) => group_name(i, group, traffic.ranks);
    const cells = [];
    traffic.bins.ranks.forEach((row, r) => row.forEach((value, t) => { if (value) cells.push([t, r, value]); }));
    const largest = cells.reduce((most, c) => Math.max(most, c[2]), 1);
    const by_rank = () => ({ name: "traffic-by-rank", title: "Traffic of each rank over time", columns: [{ key: "begin_ns", title: "begin", text: time }, { key: "rank" }, { key: "bytes", text: bytes }],
      rows: cells.map((c) => [times[c[0]], ranks(c[1]), c[2]]) });
    part.append(note(group > 1 ? `Bytes that each ${counted(group, "rank")} send:` : "Bytes that each rank sends:"));
    add_chart(part, { id: "chart-ranks", table: by_rank, label: `Bytes sent by each of ${traffic.ranks} ranks over time`,
      option: () => heat_option({ times, rows: traffic.bins.ranks.map((_, i) => ranks(i)), row_title: "rank", cells, largest, text: bytes,
        describe: ([t, r, value]) => `rank ${ranks(r)}, from ${time(times[t])}\n${bytes(value)}` }) });
  };

  const observed = () => label_of(activity);
  const observed_time = () => {
    const end = activity.bins.count * activity.bins.width_ns;
    return end < 0.99 * activity.job_time_ns ? `Only the first ${time(end)} of ${time(activity.job_time_ns)} were observed, since the job is long. ` : "";
  };

  const ports = () => {
    const { width_ns: width, count: bins } = activity.bins, group = activity.port_group;
    const part = section("ports", "Port utilisation over time", note(`Emulated with ${observed()}, in ${bins} intervals of ${time(width)}: payload delivered, as a share of what the link carries. ` + observed_time()
      + (group > 1 ? `Each row is the mean of ${group} ports.` : "")));
    let chart;
    const side = chooser("Link", ["out of the port", "into the port"], () => chart && chart.update());
    const times = Array.from({ length: bins }, (_, i) => i * width);
    const rows = activity.out.map((_, i) => group_name(i, group, activity.ports));
    const cells = () => (side.value ? activity.in : activity.out).flatMap((row, r) => row.map((value, t) => [t, r, value]).filter((c) => c[2]));
    const table = () => ({ name: "port-utilisation", title: "Port utilisation over time", columns: [{ key: "begin_ns", title: "begin", text: time }, { key: "port" }, { key: "utilisation", text: percent }],
      rows: cells().map(([t, r, value]) => [times[t], rows[r], value]) });
    const mean = activity.out.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0) / (activity.out.length * bins || 1);
    chart = add_chart(part, { id: "chart-ports", table, controls: [side.element], tall: rows.length > 16,
      label: `Utilisation of ${activity.ports} ports over time with ${observed()}, ${percent(mean)} on average`,
      option: () => {
        const found = cells();
        return heat_option({ times, rows, row_title: "port", cells: found, text: percent,
          largest: found.reduce((most, c) => Math.max(most, c[2]), 0.01),
          describe: ([t, r, value]) => `port ${rows[r]}, ${time(times[t])} to ${time(times[t] + width)}\n${percent(value)}` });
      } });
  };

  const slot_chart = () => {
    if (!activity.slots || !activity.circuits.length) return;
    const width = activity.bins.width_ns, sources = activity.circuit_ports;
    const part = section("circuits", "Slot chart", note(`Which connection each TDM slot holds when, emulated with ${observed()}: a row for each source port, a colour and number for its destination (zoom in if there is no room for the number). `
      + observed_time() + `In an interval with several circuits it is the one held longest. `
      + (sources.length < activity.ports ? `The ${sources.length} of ${count(activity.ports)} ports with most traffic are shown. ` : "")
      + (activity.circuit_slots < activity.slots ? `The first ${activity.circuit_slots} of ${count(activity.slots)} slots are shown.` : "")));
    let chart;
    const chosen = chooser("Slot", Array.from({ length: activity.circuit_slots }, (_, i) => String(i)), () => chart && chart.update());
    const cells = () => activity.circuits.filter((c) => c[0] === chosen.value);
    const table = () => ({ name: "slot-chart", title: "Slot chart", columns: [{ key: "slot" }, { key: "source" }, { key: "begin_ns", title: "begin", text: time }, { key: "end_ns", title: "end", text: time }, { key: "destination" }, { key: "circuits", text: count }],
      rows: activity.circuits.map(([slot, row, first, length, destination, circuits]) => [slot, sources[row], first * width, (first + length) * width, destination, circuits]) });
    // Neighbouring destinations get different hues and lightness; the numbers in the cells do not depend on colours.
    const colour = (port) => palette[port % 7];
    chart = add_chart(part, { id: "chart-circuits", table, controls: [chosen.element], tall: true,
      label: `Connections in ${activity.slots} slots over time with ${observed()}; the table below has them`,
      option: () => ({ grid: { left: 70, right: 30, top: 20, bottom: 50 },
        xAxis: { type: "value", min: 0, max: activity.bins.count * width, axisLabel: { formatter: time, showMaxLabel: false } },
        yAxis: { type: "category", name: "source", inverse: true, data: sources.map(String) },
        dataZoom: [{ type: "inside", xAxisIndex: 0, filterMode: "weakFilter" }, { type: "inside", yAxisIndex: 0, filterMode: "weakFilter" }],
        tooltip: { formatter: (p) => `slot ${chosen.value}: ${sources[p.value[0]]} to ${p.value[3]}\n${time(p.value[1])} to ${time(p.value[2])}` + (p.value[4] > 1 ? `\n${count(p.value[4])} circuits in this interval` : "") },
        series: [{ type: "custom", name: "circuits", clip: true, encode: { x: [1, 2], y: 0 },
          renderItem: (_, api) => {
            const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
            const height = api.size([0, 1])[1] * 0.85, wide = Math.max(1, to[0] - from[0]);
            const rect = { type: "rect", shape: { x: from[0], y: from[1] - height / 2, width: wide, height }, style: { fill: api.visual("color") } };
            const text = String(api.value(3));
            if (wide < 8 * text.length + 2 || height < 11) return rect;
            return { type: "group", children: [rect, { type: "text", style: { text, x: from[0] + wide / 2, y: from[1], align: "center", verticalAlign: "middle", fill: inks[api.value(3) % 7], font: "11px sans-serif" } }] };
          },
          data: cells().map(([, row, first, length, destination, circuits]) =>
            ({ value: [row, first * width, (first + length) * width, destination, circuits], itemStyle: { color: colour(destination) } })) }] }) });
  };

  const sweeps = () => {
    const part = section("sweep", "Other switches", note("The job time with other reconfiguration times, packet planes and predictors; everything else as above. A job time is missing if it is more than ten times that of the result, if the emulation did not reach the end of the job, or if the switch is impossible (a slot must be longer than the reconfiguration)."));
    const { times_ns: times, techniques: lines } = sweep.reconfiguration;
    const names = Object.keys(lines);
    const wormhole = (report.results.find((r) => r.technique === "wormhole") || {}).time_ns;
    const table = () => ({ name: "reconfiguration-times", title: "Job time by reconfiguration time", columns: [{ key: "reconfiguration_ns", title: "reconfiguration", text: given_time }, ...names.map((n) => ({ key: `${n}_ns`, title: n, text: time }))],
      rows: times.map((t, i) => [t, ...names.map((n) => lines[n][i])]),
      csv: { columns: ["technique", "reconfiguration_ns", "time_ns"], rows: names.flatMap((n) => times.map((t, i) => [n, t, lines[n][i]])) } });
    const known = table().rows.flatMap((r) => r.slice(1)).concat(wormhole || []).filter((v) => v !== null);
    const spread = Math.max(...known) / Math.min(...known);
    add_chart(part, { id: "chart-reconfiguration", table,
      label: `Job time by reconfiguration time: ${table().rows.map((r) => `${given_time(r[0])}: ${r.slice(1).map((v) => v === null ? "-" : time(v)).join(" / ")}`).join("; ")}`,
      option: () => ({ legend: { top: 0 }, grid: { left: 90, right: 40, top: 40, bottom: 50 },
        xAxis: { type: "category", name: "reconfiguration", data: times.map(given_time) }, yAxis: spread > 10 ? { type: "log", min: "dataMin", axisLabel: { formatter: given_time } } : time_axis(known, false),
        tooltip: { trigger: "axis", valueFormatter: (v) => v === null || v === undefined ? "-" : time(v) },
        series: names.map((n, i) => ({ type: "line", name: n, symbolSize: 9, data: lines[n],
          markLine: i || !wormhole ? undefined : { symbol: "none", lineStyle: { type: "dashed", color: palette[5] }, label: { formatter: "wormhole", color: palette[5], position: "insideEndTop" }, data: [{ yAxis: wormhole }] } })) }) });
    const plane = sweep.packet_plane;
    if (plane) {
      const among = time_among(plane.time_ns);
      const by_plane = () => ({ name: "packet-planes", title: "Job time by packet plane", columns: [{ key: "packet_plane", title: "packet plane", text: percent }, { key: "time_ns", title: "job time of hybrid", text: among }],
        rows: plane.shares.map((s, i) => [s, plane.time_ns[i]]) });
      part.append(note(`Job time of hybrid by packet plane, as a share of the link rate, with a reconfiguration time of ${given_time(plane.reconfiguration_ns)}:`), ...closeness(plane.time_ns));
      add_chart(part, { id: "chart-planes", table: by_plane, label: `Job time of hybrid by packet plane: ${by_plane().rows.map((r) => `${percent(r[0])}: ${among(r[1])}`).join(", ")}`,
        option: () => ({ grid: { left: 90, right: 40, top: 20, bottom: 50 }, xAxis: { type: "category", name: "packet plane", data: plane.shares.map(percent) },
          yAxis: time_axis(plane.time_ns, false), tooltip: { trigger: "axis", valueFormatter: among },
          series: [{ type: "line", name: "hybrid", symbolSize: 9, data: plane.time_ns }] }) });
    }
    if (sweep.predictors) {
      const list = sweep.predictors, times = list.map((p) => p.time_ns), among = time_among(times);
      const by_predictor = () => ({ name: "predictor-times", title: "Predictors", columns: [{ key: "predictor" }, { key: "hit_rate", title: "hit rate", term: "hit rate", text: percent }, { key: "time_ns", title: "job time", text: among }],
        rows: list.map((p) => [p.predictor, p.hit_rate, p.time_ns]) });
      part.append(note(`Hit rate of each predictor and the job time with it, for ${observed()}. No predictor that requests a connection only when a message needs it has more hits than belady; one that requests ahead may have.`), ...closeness(times));
      add_chart(part, { id: "chart-predictor-times", table: by_predictor, decal: true,
        label: `Hit rate and job time by predictor: ${list.map((p) => `${p.predictor} ${percent(p.hit_rate)}${p.time_ns === null ? "" : ` ${among(p.time_ns)}`}`).join(", ")}`,
        option: () => ({ legend: { top: 0 }, grid: { left: 70, right: 90, top: 40, bottom: 90 },
          xAxis: { type: "category", data: list.map((p) => p.predictor), axisLabel: { rotate: 30, interval: 0 } },
          yAxis: [{ type: "value", min: 0, max: 1, axisLabel: { formatter: (v) => `${Math.round(v * 100)} %` } },
            { ...time_axis(list.map((p) => p.time_ns), false), splitLine: { show: false } }],
          tooltip: { trigger: "axis", formatter: (all) => `${all[0].name}\n${all.map((p) => `${p.seriesName}: ${p.value === null || p.value === undefined ? "-" : p.seriesIndex ? among(p.value) : percent(p.value)}`).join("\n")}` },
          series: [{ type: "bar", name: "hit rate", data: list.map((p) => p.hit_rate) }, { type: "line", name: "job time", yAxisIndex: 1, symbolSize: 9, lineStyle: { width: 0 }, data: list.map((p) => p.time_ns) }] }) });
    }
  };

  const phases = () => {
    const list = (report && report.phases) || [];
    if (!list.length) return;
    const part = section("phases", "Phases", note(`A phase is a stretch of the job with one working set; ${report.phases_from === "sends" ? "these were found from the sends." : "the program hints these."} Times are those of the recording. Slots needed without rare connections are in parentheses.`));
    const slots_needed = (p) => p.slots_without_rare !== undefined && p.slots_without_rare < p.slots_needed ? `${count(p.slots_needed)} (${count(p.slots_without_rare)})` : count(p.slots_needed ?? 0);
    // Other options of the result may have given other phases.
    const index = traffic ? traffic.phases.map((name) => list.findIndex((p) => p.name === name)) : [];
    const of_report = (i) => list[index[i]] || (traffic.phases.length === list.length ? list[i] : undefined);
    const spans = traffic ? traffic.spans.map(([p, begin, end, occurrences]) => [traffic.phases[p], of_report(p) || {}, begin, end, occurrences])
      : list.map((p) => [p.name, p, p.begin_ns, p.end_ns, p.occurrences]);
    const name = ([name, phase]) => phase.name || name;
    const table = () => ({ name: "phase-timeline", title: "Phase timeline", columns: [{ key: "phase" }, { key: "begin_ns", title: "begin", text: time }, { key: "end_ns", title: "end", text: time },
      { key: "occurrences", text: count }, { key: "working_set", title: "working set", text: count }, { key: "slots_needed", title: "slots needed" }, { key: "slots_without_rare", title: "slots without rare" }],
      rows: spans.map((span) => [name(span), ...span.slice(2), span[1].working_set, span[1].slots_needed, span[1].slots_without_rare]) });
    const names = [...new Set(spans.map(name))];
    const needs = (p) => p.slots_needed === undefined ? "" : `\nslots needed: ${slots_needed(p)}, for ${counted(p.working_set, "connection")}`;
    const labels = names.map((n) => { const { 1: p } = spans.find((span) => name(span) === n); return p.slots_needed === undefined ? "" : `${counted(p.working_set, "connection")}, ${slots_needed(p)} ${slots_needed(p) === "1" ? "slot" : "slots"}`; });
    const tall = names.length > 12;
    add_chart(part, { id: "chart-phases", table, tall, label: `Timeline of ${counted(list.length, "phase")}: ${list.map((p) => `${p.name} needs ${slots_needed(p)} slots`).join(", ")}`,
      option: () => ({ grid: name_grid(20, 20),
        xAxis: time_axis(spans.map((span) => span[3])), yAxis: name_axis(names),
        dataZoom: [{ type: "inside", filterMode: "weakFilter" }],
        tooltip: { formatter: ({ dataIndex: i }) => { const [, phase, begin, end, occurrences] = spans[i]; return `${name(spans[i])}\n${time(begin)} to ${time(end)}${occurrences > 1 ? `, ${counted(occurrences, "occurrence")}` : ""}${needs(phase)}`; } },
        series: [{ type: "custom", name: "phases", encode: { x: [1, 2], y: 0 },
          renderItem: (_, api) => {
            const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]);
            const height = api.size([0, 1])[1] * 0.6;
            const width = Math.max(1, to[0] - from[0]), row = api.value(0), kPadding = 6;
            const bar = { type: "rect", shape: { x: from[0], y: from[1] - height / 2, width, height }, style: { fill: api.visual("color") } };
            const text = labels[row], room = width - 2 * kPadding;
            if (text.length * 7 > room || height < 14) return bar;
            return { type: "group", children: [bar, { type: "text", silent: true,
              style: { text, x: from[0] + kPadding, y: from[1], textVerticalAlign: "middle", fill: inks[row % inks.length], width: room, overflow: "truncate" } }] };
          },
          data: spans.map((span) => { const row = names.indexOf(name(span)); return { name: name(span), value: [row, span[2], span[3]], itemStyle: { color: palette[row % palette.length] } }; }) }] }) });
    if (traffic && traffic.gap_ns) part.append(note(`Occurrences of a phase that are less than ${time(traffic.gap_ns)} apart are one bar.`));
    const summary = { name: "phases", title: "Phases", columns: [{ key: "phase" }, { key: "occurrences", text: count },
      { key: "messages", text: count }, { key: "bytes", text: bytes }, { key: "working_set", title: "working set", term: "working set", text: count },
      { key: "rare", term: "rare", text: count }, { key: "slots_needed", title: "slots needed", term: "slots needed" }, { key: "slots_without_rare", title: "slots without rare" }],
      rows: list.map((p) => [p.name, p.occurrences, p.messages, p.bytes, p.working_set, p.rare, p.slots_needed, p.slots_without_rare]) };
    part.append(csv_button(() => summary), table_element(summary));
  };

  const predictors = () => {
    const list = report.predictors || [];
    if (!list.length) return;
    const part = section("predictors", "Predictors", note("Each predictor on the recorded sends, every request granted at once: hit rate, and held unused."));
    const label = (p) => `${p.predictor}, K = ${p.slots}`;
    const table = () => ({ name: "predictors", title: "Predictors", columns: [{ key: "predictor" }, { key: "slots", title: "K", term: "K" }, { key: "hit_rate", title: "hit rate", term: "hit rate", text: percent },
      { key: "held_unused", title: "held unused", term: "held unused", text: percent }, { key: "requests", text: count }, { key: "releases", text: count }],
      rows: list.map((p) => [p.predictor, p.slots, p.hit_rate, p.held_unused, p.requests, p.releases]) });
    add_chart(part, { id: "chart-predictors", table, decal: true, label: `Hit rates: ${list.map((p) => `${label(p)} ${percent(p.hit_rate)}`).join(", ")}`,
      option: () => ({ legend: { top: 0 }, grid: { left: 60, right: 30, top: 40, bottom: 90 },
        xAxis: { type: "category", data: list.map(label), axisLabel: { rotate: 30, interval: 0 } },
        yAxis: { type: "value", min: 0, max: 1, axisLabel: { formatter: (v) => `${Math.round(v * 100)} %` } },
        tooltip: { trigger: "axis", valueFormatter: percent },
        series: [{ type: "bar", name: "hit rate", data: list.map((p) => p.hit_rate) }, { type: "bar", name: "held unused", data: list.map((p) => p.held_unused) }] }) });
  };

  const parameters = () => {
    const part = section("parameters", "Parameters");
    const rows = Object.entries(report.parameters || {});
    const meanings = data.meanings || {};
    const table = () => ({ name: "parameters", title: "Parameters", columns: [{ key: "parameter" }, { key: "value" }, { key: "meaning" }],
      rows: rows.map(([name, value]) => [name, value, meanings[name] || ""]) });
    part.append(csv_button(table), element("details", {}, element("summary", {}, `${rows.length} parameters`), table_element(table())));
  };

  // A result of another version may lack values: the other parts of the page are still shown.
  const show = (name, part) => {
    try {
      part();
    } catch (error) {
      main.append(element("p", { class: "warning" }, `The part "${name}" cannot be shown: ${error.message}`));
    }
  };
  show("summary", summary);
  if (repeats) show("repeats", spread);
  const silent = report && (report.results || []).length && report.results.every((r) => !r.messages);
  if (silent) main.append(note("No message crosses the switch: the ranks do not communicate, or are on one port. The parts of the page about traffic are left out."));
  if (report) for (const part of silent ? [techniques] : [techniques, waits, calls, slots]) show(part.name, part);
  if (traffic && !silent) for (const part of [matrix, timeline]) show(part.name, part);
  show("phases", phases);
  if (activity && !silent) for (const part of [ports, slot_chart]) show(part.name, part);
  if (report) for (const part of [...(silent ? [] : [predictors]), ...(sweep ? [sweeps] : []), parameters]) show(part.name, part);
  if (!traffic) main.append(note("The trace was not read for this page: the communication matrix and the traffic over time are left out. To include them: ", element("code", {}, "hybrid report TRACE -o FILE.html")));
  if (report && traffic && !sweep && !silent) main.append(note("This page lacks job times with other reconfiguration times, packet planes and predictors, which take about 25 emulations. To include them: ", element("code", {}, `hybrid report ${/^[\w./+-]+$/.test(data.source) ? data.source : `'${data.source.replaceAll("'", "'\\''")}'`} --sweep -o FILE.html`)));

  const redraw = () => charts.filter((chart) => chart.instance).forEach(draw);
  let resizing = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(resizing);
    resizing = requestAnimationFrame(() => {
      charts.forEach((chart) => chart.instance && chart.instance.resize());
      redraw();
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not allowed: the choice is not kept */ }
    redraw();
  });
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen) document.documentElement.dataset.theme = chosen;
  } catch { /* not allowed: the system's choice */ }
  // One chart at a time, from the top: the page can be read meanwhile.
  const draw_next = () => {
    const chart = charts.find((one) => !one.instance);
    if (!chart) {
      document.documentElement.dataset.ready = "yes";
      return;
    }
    chart.instance = echarts.init(chart.box, null, { renderer: "canvas" });
    try {
      draw(chart);
    } catch (error) {
      chart.box.after(element("p", { class: "warning" }, `This chart cannot be drawn: ${error.message}`));
    }
    setTimeout(draw_next);
  };
  setTimeout(draw_next);
})();
