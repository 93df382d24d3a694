// The panel: cells newest first, with the graph at their left. A click checks out a state.
import { layout } from './graph.js';

const MARKS = { added: '+', removed: '−', changed: '~' };
const HOVER_MS = 150;
const SHOWN_LINES = 6;

// An element with attributes, listeners (on...) and children; texts are only ever text.
function make(kind, given = {}, ...children) {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter(each => each !== null));
  return element;
}

export class Panel {
  constructor() {
    this.notebook = null;
    this.connection = null;
    this.unfolded = null;      // number of the cell whose variables are shown
    this.isBusy = false;
    this.where = make('span', { class: 'rex-where' });
    this.undo = make('button', { type: 'button', class: 'rex-undo', onclick: () => this.run('%rex undo') }, 'Undo');
    this.status = make('p', { class: 'rex-status', role: 'status' });
    this.cells = make('ol', { class: 'rex-cells', 'aria-label': 'States, newest first' });
    this.tip = make('div', { class: 'rex-tip', role: 'tooltip', id: 'rex-tip', hidden: true });
    this.element = make('div', { class: 'rex-panel' },
      make('header', {}, this.where, this.undo), this.status, this.cells, this.tip);
  }

  // Draw what a connection knows; null: no kernel.
  show(connection) {
    if (connection !== this.connection) this.unfolded = null;
    this.connection = connection;
    this.hideTip();
    const { state, nodes } = connection || { state: { is_on: false }, nodes: new Map() };
    this.undo.disabled = this.isBusy || !state.is_on || !nodes.get(state.head)?.parent;
    if (!state.is_on) return this.showOff(connection);
    this.where.textContent = state.kept_in;
    this.where.title = 'Where the states are kept';
    const names = namesAt(state);
    const focused = document.activeElement?.closest?.('.rex-cells li')?.dataset.number;
    this.cells.replaceChildren(...layout(nodes).map(row => this.row(row, state, names.get(row.node.number) || [])));
    if (!nodes.size) this.cells.append(make('li', { class: 'rex-none' }, 'No cell was run yet.'));
    if (focused) this.cells.querySelector(`[data-number="${focused}"] .rex-go`)?.focus();
  }

  showOff(connection) {
    this.where.textContent = 'Rex is off';
    this.cells.replaceChildren(make('li', { class: 'rex-none' }, connection
      ? make('button', { type: 'button', class: 'rex-on', onclick: () => this.act(connection => connection.load()) }, 'Keep the states of this notebook')
      : 'Open a notebook with a Python kernel.'));
  }

  row({ node, column, passing, joining, isTip, isRoot }, state, names) {
    const { number } = node;
    const isHead = number === state.head;
    const isOpen = this.unfolded === number;
    const line = (at, kind) => make('i', { class: `rex-line ${kind}`, style: `--at:${at}` });
    const graph = make('span', { class: 'rex-graph', 'aria-hidden': 'true', style: `--columns:${Math.max(column, ...passing, ...joining) + 1}` },
      ...passing.map(at => line(at, 'passing')), ...joining.map(at => make('i', { class: 'rex-join', style: `--from:${column};--to:${at}` })),
      isTip ? null : line(column, 'above'), isRoot ? null : line(column, 'below'), make('i', { class: 'rex-dot', style: `--at:${column}` }));
    const go = make('button', { type: 'button', class: 'rex-go', disabled: this.isBusy, 'aria-describedby': 'rex-tip',
      'aria-label': `Check out the state after cell ${number}: ${node.head}`, onclick: () => this.run(`%rex checkout ${number}`),
      onmouseenter: event => this.showTip(event.currentTarget, node, state), onfocus: event => this.showTip(event.currentTarget, node, state),
      onmouseleave: () => this.hideTip(), onblur: () => this.hideTip() },
      make('b', {}, String(number)), make('code', {}, node.head), ...names.map(each => make('mark', {}, each)),
      node.is_complete ? null : make('em', { title: node.error }, 'raised'));
    const more = make('button', { type: 'button', class: 'rex-more', 'aria-expanded': String(isOpen), 'aria-label': `More of cell ${number}`,
      onclick: () => { this.unfolded = isOpen ? null : number; this.show(this.connection); } }, '⋯');
    return make('li', { 'data-number': number, class: isHead ? 'rex-head' : false, 'aria-current': isHead ? 'true' : false }, graph,
      make('div', { class: 'rex-cell' }, go, more, isOpen ? this.details(node) : null));
  }

  details(node) {
    const take = name => `${name} = %rex show ${node.number}:${name}`;
    return make('div', { class: 'rex-details' },
      make('button', { type: 'button', class: 'rex-both', disabled: this.isBusy, onclick: () => this.checkoutCells(node.number) }, 'Check out state and cells'),
      ...node.variables.map(name => make('div', { class: 'rex-variable' }, make('code', {}, name),
        make('button', { type: 'button', disabled: this.isBusy, 'aria-label': `Take ${name} of cell ${node.number}`, onclick: () => this.run(take(name), `took ${name} of cell ${node.number}`) }, 'Take'))),
      node.variables.length ? null : make('div', {}, 'It changed no variable.'));
  }

  // The notebook is saved first and read again: what it held is kept in a file beside it (%rex says which).
  async checkoutCells(number) {
    const context = this.notebook?.context;
    if (!context) return;
    await this.act(async connection => {
      await context.save();
      const text = await connection.run(`%rex checkout ${number} --cells --force`);
      await context.revert();
      return text;
    });
  }

  run(code, told = '') {
    return this.act(async connection => {
      const text = await connection.run(code);
      return told || text;
    });
  }

  // Do something in the kernel, alone, and tell what it said.
  async act(deed) {
    const { connection } = this;
    if (!connection || this.isBusy) return;
    this.busy(true);
    try {
      this.tell((await deed(connection)).split('\n').slice(0, SHOWN_LINES).join('\n'), false);
    } catch (error) {
      this.tell(error.message, true);
    } finally {
      this.busy(false);
    }
  }

  busy(is) {
    this.isBusy = is;
    this.element.setAttribute('aria-busy', String(is));
    this.show(this.connection);
  }

  tell(text, isError) {
    this.status.textContent = text;
    this.status.classList.toggle('rex-error', isError);
  }

  // What a checkout would change, beside the pointer.
  showTip(target, node, state) {
    this.hideTip();
    const { connection } = this;
    this.timer = setTimeout(async () => {
      let changes;
      try { changes = await connection.diff(state.head, node.number); } catch (error) { return this.tell(error.message, true); }
      if (!target.isConnected || this.connection !== connection) return;
      this.tip.replaceChildren(...changes.slice(0, 20).map(({ name, kind, old, new: now, details }) =>
        make('div', { class: `rex-${kind}` }, `${MARKS[kind]} ${name}  ${details.length ? details.join('; ') : (now ?? old ?? '')}`)));
      if (changes.length > 20) this.tip.append(make('div', {}, `… ${changes.length - 20} more`));
      if (!changes.length) this.tip.append('No variable differs from now.');
      const box = target.getBoundingClientRect(), panel = this.element.getBoundingClientRect();
      this.tip.style.top = `${box.bottom - panel.top + this.element.scrollTop + 2}px`;
      this.tip.hidden = false;
    }, HOVER_MS);
  }

  hideTip() {
    clearTimeout(this.timer);
    this.tip.hidden = true;
  }
}

function namesAt(state) {
  const found = new Map();
  const add = (number, name) => found.set(number, [...(found.get(number) || []), name]);
  for (const [name, number] of Object.entries(state.branches)) add(number, name);
  for (const [name, number] of Object.entries(state.tags)) add(number, `tag ${name}`);
  return found;
}
