// The editor of a sheet: words are chosen by mouse, finger or keys, and become mentions, values and intents.
const given = JSON.parse(document.getElementById("given").dataset.given);
const [{ Marks }, { Store }] = await Promise.all(given.modules.map((path) => import(path)));
const marks = new Marks(given);
const [transcript, tools, chosen, marking, status, entityBox] = ["transcript", "tools", "chosen", "marking", "status", "entities"].map(
  (id) => document.getElementById(id),
);
const rows = [...transcript.children].map((row) => ({ row, words: row.querySelector(".words"), marks: row.querySelector(".marks") }));
const speakers = rows.map(({ row }) => row.querySelector(".speaker").textContent);
const store = new Store(given, marks, report);
let here = 0; // utterance
let range = { anchor: 0, focus: 0 }; // characters of it
let picked = null; // id of the mark that is worked on
let flaws = given.problems;
let kept = { mention: given.types[0], value: given.slots[0] };

function t(key, n = "") {
  return given.words[key].replace("{n}", n);
}

function make(tag, values = {}, ...children) {
  const one = document.createElement(tag);
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith("on")) one.addEventListener(key.slice(2), value);
    else if (key in one && key !== "list") one[key] = value;
    else one.setAttribute(key, value);
  }
  one.append(...children);
  return one;
}

const shown = (label) => given.labels[label] ?? label;
const ends = () => [Math.min(range.anchor, range.focus), Math.max(range.anchor, range.focus)];

// ------------------------------------------------------------------------------------------------- the utterances

function drawWords(turn) {
  const text = marks.texts[turn];
  const items = marks.at(turn).filter((one) => one.layer !== "intent");
  const [start, end] = turn === here ? ends() : [-1, -1];
  const cuts = new Set([0, text.length]);
  for (const one of items) cuts.add(one.start).add(one.end);
  if (start >= 0) cuts.add(start).add(end);
  const places = [...cuts].filter((one) => one <= text.length).sort((a, b) => a - b);
  const pieces = [];
  for (let number = 0; number < places.length; number += 1) {
    const [from, to] = [places[number], places[number + 1]];
    if (start === end && from === start) pieces.push(make("span", { className: "caret" }));
    if (to === undefined) break;
    const over = items.filter((one) => one.start <= from && one.end >= to);
    const names = over.flatMap((one) => [one.layer, ...(marks.state(one) === "suggested" ? ["suggested"] : [])]);
    if (from >= start && to <= end && start < end) names.push("selected");
    const piece = make("span", { className: [...new Set(names)].join(" ") }, text.slice(from, to).join(""));
    piece.dataset.from = from;
    pieces.push(piece);
  }
  rows[turn].words.replaceChildren(...pieces);
}

function drawMarks(turn) {
  const items = marks.at(turn).sort((a, b) => (a.layer === "intent") - (b.layer === "intent") || a.start - b.start);
  const list = items.map((one) => {
    const said =
      one.layer === "intent"
        ? [shown(one.label), ...one.args].join(" · ")
        : [marks.words(one), shown(one.label), one.entity ?? t("user")].join(" · ");
    const state = marks.state(one);
    const button = make("button", {
      type: "button",
      className: `mark ${one.layer} ${state}`,
      title: [t(`kind_${one.layer}`), t(`state_${state}`), given.notes[one.label] ?? ""].filter(Boolean).join(": "),
      "aria-pressed": String(one.id === picked),
      onclick: () => pick(one),
    });
    button.append(said + (one.by?.length ? ` · ${t("by", one.by.join(", "))}` : ""));
    return make("li", {}, button);
  });
  rows[turn].marks.replaceChildren(...list);
}

function drawFlaws(turn) {
  for (const old of rows[turn].row.querySelectorAll(".flaw")) old.remove();
  for (const one of flaws.filter((flaw) => (flaw.turn ?? 0) === turn)) {
    rows[turn].row.append(make("p", { className: `flaw ${one.severity}` }, one.message));
  }
}

function draw(turn) {
  drawWords(turn);
  drawMarks(turn);
  rows[turn].row.classList.toggle("here", turn === here);
}

// Draws what differs between two lists of marks, and nothing else.
function redraw(before) {
  const old = new Set(before);
  const now = new Set(marks.items);
  const turns = new Set([...before.filter((one) => !now.has(one)), ...marks.items.filter((one) => !old.has(one))].map((one) => one.turn));
  turns.add(here);
  for (const turn of turns) draw(turn);
  drawEntities();
  drawTools();
}

function drawEntities() {
  const found = marks.entities();
  const list = found.map((one) => make("li", {}, `${one.name}: ${one.words || "–"} (${one.mentions})`));
  entityBox.replaceChildren(make("h2", {}, t("entity")), found.length ? make("ul", {}, ...list) : make("p", { className: "soft" }, t("no_entities")));
}

// ------------------------------------------------------------------------------------------------- the tools

function select(label, options, value, change) {
  const one = make("select", { onchange: () => change?.(one.value) });
  for (const [key, told] of options) one.append(make("option", { value: key }, told));
  if (value !== undefined) one.value = value;
  return [make("label", {}, label, one), one];
}

const labelled = (labels) => labels.map((one) => [one, shown(one)]);
const owners = () => marks.entities().map((one) => [one.name, `${one.name} ${one.words}`]);
const slotsOf = (owner) => (owner ? given.slots : given.userSlots);

function drawTools() {
  const item = picked === null ? null : marks.find(picked);
  if (!item) picked = null;
  const [start, end] = ends();
  const words = marks.texts[here].slice(start, end).join("");
  chosen.textContent = item ? `${t(`kind_${item.layer}`)}: ${item.layer === "intent" ? shown(item.label) : marks.words(item)}` : words ? t("chosen", words) : t("nothing_chosen");
  marking.replaceChildren(...(item ? editing(item) : words ? creating() : intents()));
}

function button(told, act, className = "") {
  return make("button", { type: "button", className, onclick: act }, told);
}

function creating() {
  const [typeLabel, type] = select(t("kind_mention"), labelled(given.types), kept.mention, (value) => (kept.mention = value));
  const [entityLabel, entity] = select(t("entity"), [["", t("new_entity", marks.newEntity())], ...owners()], "");
  const [slotLabel, slot] = select(t("kind_value"), labelled(slotsOf("ent")), kept.value, (value) => (kept.value = value));
  const last = owners().at(-1)?.[0] ?? "";
  const [ownerLabel, owner] = select(t("owner"), [["", t("user")], ...owners()], last, (value) => {
    slot.replaceChildren(...labelled(slotsOf(value)).map(([key, told]) => make("option", { value: key }, told)));
  });
  if (!last) slot.replaceChildren(...labelled(given.userSlots).map(([key, told]) => make("option", { value: key }, told)));
  return [
    typeLabel, entityLabel, button(`${t("kind_mention")} (M)`, () => mark("mention", type.value, entity.value || marks.newEntity())),
    slotLabel, ownerLabel, button(`${t("kind_value")} (V)`, () => mark("value", slot.value, owner.value || null)),
  ];
}

function intents() {
  const labels = given.intents[given.turns[here].speaker] ?? [];
  const [label, one] = select(t("kind_intent"), labelled(labels));
  one.id = "intent";
  return [label, button(t("add_intent"), () => act(() => pickId(marks.add({ layer: "intent", turn: here, label: one.value }))))];
}

function editing(item) {
  const labels = { mention: given.types, value: slotsOf(item.entity), intent: given.intents[given.turns[item.turn].speaker] ?? [] }[item.layer];
  const options = labels.includes(item.label) ? labels : [item.label, ...labels];
  const made = [select(t("label"), labelled(options), item.label, (label) => act(() => marks.edit(item.id, { label })))[0]];
  if (item.layer === "mention") {
    const choices = [...owners(), [marks.newEntity(), t("new_entity", marks.newEntity())]];
    made.push(select(t("entity"), choices, item.entity, (entity) => act(() => marks.edit(item.id, { entity })))[0]);
  } else if (item.layer === "value") {
    made.push(select(t("owner"), [["", t("user")], ...owners()], item.entity ?? "", (owner) => act(() => marks.edit(item.id, revalued(item, owner))))[0]);
  } else {
    made.push(...argumentsOf(item));
  }
  const sure = marks.state(item) === "suggested" ? [button(`${t("confirm")} (C)`, confirm)] : [];
  return [...made, ...sure, button(`${t("remove")} (Del)`, remove, "danger")];
}

function revalued(item, owner) {
  const slots = slotsOf(owner);
  return { entity: owner || null, label: slots.includes(item.label) ? item.label : slots[0] };
}

function argumentsOf(item) {
  if (!given.withArguments.includes(item.label) && !item.args.length) return [];
  const choices = [
    ...marks.entities().flatMap((one) => given.slots.map((slot) => [`${one.name}-${slot}`, `${one.name} ${one.words}: ${shown(slot)}`])),
    ...labelled(given.userSlots), ...labelled(given.types),
  ];
  const [label, one] = select(t("argument"), choices);
  const added = () => act(() => marks.edit(item.id, { args: [...new Set([...item.args, one.value])] }));
  const given_ = item.args.map((argument) => button(`× ${argument}`, () => act(() => marks.edit(item.id, { args: item.args.filter((other) => other !== argument) })), "plain"));
  return [...given_, label, button(t("add_argument"), added, "plain")];
}

// ------------------------------------------------------------------------------------------------- what is done

function act(change) {
  const before = marks.items;
  change();
  if (marks.items === before) return;
  redraw(before);
  store.changed();
}

function mark(layer, label, entity) {
  const [start, end] = ends();
  if (start === end) return;
  act(() => {
    picked = null;
    marks.add({ layer, turn: here, label, start, end, entity });
    range = { anchor: end, focus: end };
  });
}

function pickId(id) {
  picked = id;
}

function pick(item) {
  const [was, old] = [picked, here];
  picked = was === item.id ? null : item.id;
  here = item.turn;
  range = { anchor: item.end, focus: item.end };
  if (old !== here) draw(old);
  draw(here);
  drawTools();
  rows[here].marks.querySelector("[aria-pressed=true]")?.focus();
}

function confirm() {
  const item = picked === null ? null : marks.find(picked);
  const open = (item ? [item] : marks.at(here)).filter((one) => marks.state(one) === "suggested");
  if (open.length) act(() => marks.confirm(open.map((one) => one.id)));
}

function remove() {
  if (picked !== null) act(() => marks.remove(picked));
}

function travel(change) {
  const before = marks.items;
  if (change()) {
    redraw(before);
    store.changed();
  }
}

function move(turn, place) {
  const old = here;
  here = Math.max(0, Math.min(rows.length - 1, turn));
  range = place;
  picked = null;
  if (old !== here) draw(old);
  draw(here);
  drawTools();
  if (old !== here) rows[here].row.scrollIntoView({ block: "nearest" });
}

function cycle(step) {
  const items = marks.at(here);
  if (!items.length) return;
  const at = items.findIndex((one) => one.id === picked);
  pick(items[(at + step + (at < 0 && step < 0 ? 1 : 0) + items.length) % items.length]);
}

const KEYS = {
  ArrowUp: () => move(here - 1, { anchor: 0, focus: 0 }),
  ArrowDown: () => move(here + 1, { anchor: 0, focus: 0 }),
  m: () => mark("mention", kept.mention, marks.newEntity()),
  v: () => marking.querySelectorAll("button")[1]?.click(),
  i: () => {
    move(here, { anchor: 0, focus: 0 });
    document.getElementById("intent")?.focus();
  },
  "[": () => cycle(-1),
  "]": () => cycle(1),
  c: confirm,
  Delete: remove,
  Backspace: remove,
};

function step(event, by) {
  const length = marks.texts[here].length;
  const focus = event.key === "Home" ? 0 : event.key === "End" ? length : Math.max(0, Math.min(length, range.focus + by));
  move(here, { anchor: event.shiftKey ? range.anchor : focus, focus });
}

addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, textarea, select, summary, a") || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key !== "z" && key !== "y") return;
    travel(() => (key === "y" || event.shiftKey ? marks.redo() : marks.undo()));
  } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) {
    step(event, key === "ArrowLeft" ? -1 : 1);
  } else if (KEYS[key]) {
    KEYS[key]();
  } else {
    return;
  }
  event.preventDefault();
});

// What the mouse or a finger has selected, in characters of one utterance.
function placeOf(node, offset) {
  const piece = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest?.("[data-from]");
  if (!piece) return null;
  const inside = node.nodeType === Node.TEXT_NODE ? [...node.data.slice(0, offset)].length : offset ? [...piece.textContent].length : 0;
  return Number(piece.dataset.from) + inside;
}

function selected() {
  const selection = getSelection();
  if (!selection.rangeCount) return;
  const row = selection.anchorNode?.parentElement?.closest(".utterance");
  const turn = rows.findIndex((one) => one.row === row);
  if (turn < 0 || !rows[turn].words.contains(selection.focusNode)) return;
  const [anchor, focus] = [placeOf(selection.anchorNode, selection.anchorOffset), placeOf(selection.focusNode, selection.focusOffset)];
  if (anchor === null || focus === null) return;
  selection.removeAllRanges();
  move(turn, { anchor, focus });
}

transcript.addEventListener("pointerup", (event) => {
  if (event.target.closest("button")) return;
  setTimeout(() => {
    if (event.pointerType !== "touch" || getSelection().isCollapsed) selected();
  });
});
let settled = 0; // a finger moves the ends of a selection for a while
document.addEventListener("selectionchange", () => {
  clearTimeout(settled);
  if (matchMedia("(pointer: coarse)").matches && !getSelection().isCollapsed) settled = setTimeout(selected, 700);
});

// ------------------------------------------------------------------------------------------------- what is told

function report(what, told) {
  const open = marks.undecided();
  const left = open ? ` ${t("undecided", open)}` : "";
  status.classList.toggle("bad", ["aside", "refused", "not_done"].includes(what));
  status.replaceChildren(t(what, told.version ?? "") + left);
  if (what === "aside") {
    status.append(" ", make("a", { href: `${given.path}/versions` }, t("versions")), " ", button(t("keep_mine"), () => store.save({ over: told.version }), "plain"));
  }
  if (told.problems) {
    const before = flaws;
    flaws = told.problems;
    for (const turn of new Set([...before, ...flaws].map((one) => one.turn ?? 0))) drawFlaws(turn);
  }
}

document.getElementById("undo").addEventListener("click", () => travel(() => marks.undo()));
document.getElementById("redo").addEventListener("click", () => travel(() => marks.redo()));
document.getElementById("finish").addEventListener("click", () => store.save({ done: true }));
tools.hidden = false;
rows.forEach(({ row }, turn) => {
  row.querySelector(".speaker").textContent = speakers[turn];
  draw(turn);
});
drawEntities();
drawTools();
