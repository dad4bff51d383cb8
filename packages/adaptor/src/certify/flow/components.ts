/**
 * Finds the strongly connected components of a graph with Tarjan's algorithm. A component comes after all components
 * that its edges lead to. The search does not recurse, so that a long chain of calls cannot exhaust the stack.
 */
export function findComponents<Node>(
  roots: Iterable<Node>,
  successors: (node: Node) => readonly Node[],
): Node[][] {
  const found: Node[][] = [];
  const indices = new Map<Node, number>();
  const low = new Map<Node, number>();
  /** Visited nodes whose component is not complete. */
  const open: Node[] = [];
  const openNodes = new Set<Node>();
  for (const root of roots) {
    if (indices.has(root)) continue;
    const work: { node: Node; next: number; to: readonly Node[] }[] = [];
    const enter = (node: Node) => {
      indices.set(node, indices.size);
      low.set(node, indices.get(node)!);
      open.push(node);
      openNodes.add(node);
      work.push({ node, next: 0, to: successors(node) });
    };
    enter(root);
    while (work.length > 0) {
      const top = work.at(-1)!;
      const to = top.to[top.next++];
      if (to !== undefined) {
        if (!indices.has(to)) enter(to);
        else if (openNodes.has(to)) low.set(top.node, Math.min(low.get(top.node)!, indices.get(to)!));
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) low.set(above.node, Math.min(low.get(above.node)!, low.get(top.node)!));
      if (low.get(top.node) !== indices.get(top.node)) continue;
      const component: Node[] = [];
      for (;;) {
        const node = open.pop()!;
        openNodes.delete(node);
        component.push(node);
        if (node === top.node) break;
      }
      found.push(component);
    }
  }
  return found;
}
