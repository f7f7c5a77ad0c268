// The marks of a sheet: what may be done to them, undone and done again. Places count characters, not UTF-16 units.

export class Marks {
  constructor(given) {
    this.given = given;
    this.texts = given.turns.map((turn) => [...turn.text]);
    this.suggested = new Map(given.suggested.map((one) => [one.id, contentOf(one)]));
    this.items = given.items;
    this.past = [];
    this.future = [];
    this.lastId = 0;
  }

  words(item) {
    return this.texts[item.turn].slice(item.start, item.end).join("");
  }

  at(turn) {
    return this.items.filter((one) => one.turn === turn);
  }

  find(id) {
    return this.items.find((one) => one.id === id);
  }

  state(item) {
    const origin = this.suggested.get(item.id);
    if (origin === undefined) return "added";
    if (origin !== contentOf(item)) return "changed";
    return item.confirmed ? "confirmed" : "suggested";
  }

  undecided() {
    return this.items.filter((one) => this.state(one) === "suggested").length;
  }

  // Entities by number, each with its first mention.
  entities() {
    const found = new Map();
    for (const one of [...this.items].sort((a, b) => a.turn - b.turn || a.start - b.start)) {
      if (!one.entity) continue;
      if (!found.has(one.entity)) found.set(one.entity, { name: one.entity, words: "", mentions: 0 });
      const entry = found.get(one.entity);
      if (one.layer === "mention") {
        entry.mentions += 1;
        entry.words ||= this.words(one);
      }
    }
    return [...found.values()].sort((a, b) => numberOf(a.name) - numberOf(b.name));
  }

  newEntity() {
    return this.given.prefix + (Math.max(0, ...this.entities().map((one) => numberOf(one.name))) + 1);
  }

  // Every change is a new list, so that undoing is going back to a former one.
  change(items) {
    this.past.push(this.items);
    this.future = [];
    this.items = items;
  }

  add(values) {
    let id;
    do {
      this.lastId += 1;
      id = `n${Date.now().toString(36)}${this.lastId}`;
    } while (this.find(id));
    const item = { start: 0, end: 0, entity: null, args: [], by: [], ...values, id, confirmed: true };
    const same = this.items.find((one) => contentOf(one) === contentOf(item));
    if (same) return this.confirm([same.id]) || same.id;
    this.change([...this.items, item]);
    return id;
  }

  edit(id, values) {
    this.change(this.items.map((one) => (one.id === id ? { ...one, ...values, confirmed: true } : one)));
  }

  remove(id) {
    this.change(this.items.filter((one) => one.id !== id));
  }

  confirm(ids) {
    const wanted = new Set(ids);
    this.change(this.items.map((one) => (wanted.has(one.id) && !one.confirmed ? { ...one, confirmed: true } : one)));
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.items);
    this.items = this.past.pop();
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.items);
    this.items = this.future.pop();
    return true;
  }
}

export function contentOf(one) {
  return JSON.stringify([one.layer, one.turn, one.start ?? 0, one.end ?? 0, one.label, one.entity ?? null, one.args ?? []]);
}

function numberOf(name) {
  return Number(name.replace(/^\D+/, "")) || 0;
}
