// How JupyterLab loads the panel: the container that a bundler would make, written by hand, so that no build needs node.
// Lab calls init() with its own libraries, then get() with the name that package.json gives.
(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, '');
  let shared;

  // A library of Lab itself: the copy that is in use, so that its tokens are the same objects.
  const library = async name => {
    const versions = Object.values(shared[name] || {});
    const found = versions.find(each => each.loaded) || versions[0];
    if (!found) throw new Error(`JupyterLab does not share ${name}`);
    return (await found.get())();
  };

  const parts = {
    './extension': async () => {
      const names = ['@jupyterlab/notebook', '@jupyterlab/ui-components', '@lumino/widgets'];
      const [{ makePlugin }, ...libraries] = await Promise.all([import(`${here}plugin.js`), ...names.map(library)]);
      const plugin = makePlugin(here, Object.assign({}, ...libraries));
      return () => ({ __esModule: true, default: plugin });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB['rex-replay'] = {
    init: scope => { shared = shared || scope; },
    get: name => (parts[name] ? parts[name]() : Promise.reject(new Error(`no part ${name}`))),
  };
})();
