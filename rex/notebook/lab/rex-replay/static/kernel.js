// One kernel's side of the panel: the graph comes over a comm (docs/formats/panel.md), commands go as `%rex` lines.
const TARGET = 'rex.notebook';
const FORMAT = 1;

export class Connection {
  // told(): something changed.
  constructor(kernel, told) {
    this.kernel = kernel;
    this.told = told;
    this.state = { is_on: false };
    this.nodes = new Map();
    this.waiting = new Map();
    this.asked = 0;
    this.isLooking = false;
    this.onMessage = (_, { direction, msg }) => this.look(direction, msg);
    kernel.anyMessage.connect(this.onMessage);
    this.open();
  }

  close() {
    this.kernel.anyMessage.disconnect(this.onMessage);
    if (this.comm && !this.comm.isDisposed) this.comm.dispose();
    this.comm = null;
  }

  // A cell that names Rex may have loaded it: try again once the kernel is idle.
  look(direction, message) {
    if (direction !== 'recv' || this.comm) return;
    if (message.header.msg_type === 'execute_input' && /\brex\b/.test(message.content.code)) this.isLooking = true;
    if (this.isLooking && message.header.msg_type === 'status' && message.content.execution_state === 'idle') {
      this.isLooking = false;
      this.open();
    }
  }

  open() {
    if (this.comm || !this.kernel.handleComms) return;
    const comm = this.comm = this.kernel.createComm(TARGET);
    comm.onMsg = message => { if (this.comm === comm) this.take(message.content.data); };
    comm.onClose = () => { if (this.comm === comm) this.gone(); };
    comm.open({ format: FORMAT });
  }

  gone() {      // the kernel does not have Rex, or has it no more
    this.comm = null;
    this.state = { is_on: false };
    this.nodes.clear();
    this.told();
  }

  take(message) {
    if (message.kind === 'state') {
      if (!message.first) this.nodes.clear();
      for (const node of message.nodes || []) this.nodes.set(node.number, node);
      this.state = message;
      this.told();
      return;
    }
    const answer = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (answer) message.kind === 'error' ? answer.reject(new Error(message.text)) : answer.resolve(message);
  }

  // The variables that differ between two states.
  diff(one, other) {
    if (!this.comm) return Promise.resolve([]);
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: message => resolve(message.changes), reject });
      this.comm.send({ kind: 'diff', id, one, other });
    });
  }

  // Load the extension. Silently: the kernel does not take it for a cell, so that the first state is that of the first cell.
  async load() {
    const text = await this.run('%load_ext rex.notebook', { silent: true });
    this.open();
    return text;
  }

  // Run a line in the kernel without a place in its history; what it showed. An error rejects.
  async run(code, options = {}) {
    const shown = [];
    let failed = '';
    const future = this.kernel.requestExecute({ code, store_history: false, stop_on_error: false, ...options });
    future.onIOPub = ({ header, content }) => {
      if (header.msg_type === 'stream') shown.push(content.text);
      if (header.msg_type === 'execute_result' || header.msg_type === 'display_data') shown.push(content.data['text/plain'] || '');
      if (header.msg_type === 'error') failed = content.evalue || content.ename;
    };
    const { content: reply } = await future.done;
    if (reply.status === 'error') failed ||= reply.evalue || reply.ename;
    const text = shown.join('\n').trim();
    if (failed || /^UsageError:/.test(text)) throw new Error((failed || text).replace(/^UsageError:\s*/, ''));
    return text;
  }
}
