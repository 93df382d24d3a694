// The plugin that JupyterLab activates: a panel at the right, which follows the notebook in front.
import { Connection } from './kernel.js';
import { Panel } from './panel.js';

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="16"><g fill="none" stroke="#616161" class="jp-icon-selectable" '
  + 'stroke-width="2"><circle cx="7" cy="5" r="2.2"/><circle cx="7" cy="19" r="2.2"/><circle cx="17" cy="10" r="2.2"/>'
  + '<path d="M7 7.5v9M17 12.5c0 3-10 2-10 5"/></g></svg>';

// libraries: what Lab shares of @jupyterlab/notebook, @jupyterlab/ui-components and @lumino/widgets.
export function makePlugin(here, { INotebookTracker, LabIcon, Widget }) {
  return {
    id: 'rex-replay:panel',
    description: 'The checkpoint graph of a notebook that Rex keeps.',
    autoStart: true,
    requires: [INotebookTracker],
    activate: (app, tracker) => {
      const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${here}panel.css` });
      document.head.append(style);
      const panel = new Panel();
      const widget = new Widget({ node: panel.element });
      widget.id = 'rex-panel';
      widget.title.caption = 'Rex: states of this notebook';
      widget.title.icon = new LabIcon({ name: 'rex:graph', svgstr: ICON });
      app.shell.add(widget, 'right', { rank: 900 });
      follow(tracker, panel);
    },
  };
}

function follow(tracker, panel) {
  let context = null, connection = null;
  const connect = () => {
    connection?.close();
    const kernel = context?.session?.kernel;
    connection = kernel ? new Connection(kernel, () => panel.show(connection)) : null;
    panel.show(connection);
  };
  const restarted = (_, status) => { if (/restarting/.test(status)) connect(); };
  const changed = () => {
    context?.kernelChanged.disconnect(connect);
    context?.statusChanged.disconnect(restarted);
    const notebook = tracker.currentWidget;
    context = notebook?.sessionContext;
    context?.kernelChanged.connect(connect);
    context?.statusChanged.connect(restarted);
    panel.notebook = notebook;
    connect();
  };
  tracker.currentChanged.connect(changed);
  changed();
}
