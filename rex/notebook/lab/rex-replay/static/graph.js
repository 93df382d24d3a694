// Where each cell stands in the drawing: columns as git's graph has them, newest cell first.

// nodes: a Map from number to {number, parent}.
// Of each cell, newest first: its node, its column, the columns whose line passes by, and those that end here.
export function layout(nodes) {
  const rows = [];
  const awaited = [];      // by column: the number of the cell that its line leads down to
  for (const number of [...nodes.keys()].sort((a, b) => b - a)) {
    const node = nodes.get(number);
    const columns = awaited.flatMap((each, at) => (each === number ? [at] : []));
    const isTip = !columns.length;
    const column = isTip ? free(awaited) : columns[0];
    for (const each of columns) awaited[each] = undefined;
    const passing = awaited.flatMap((each, at) => (each === undefined ? [] : [at]));
    awaited[column] = node.parent || undefined;
    rows.push({ node, column, passing, joining: columns.slice(1), isTip, isRoot: !node.parent });
  }
  return rows;
}

function free(awaited) {
  const at = awaited.findIndex(each => each === undefined);
  return at < 0 ? awaited.length : at;
}
