/**
 * Finds the strongly connected components of a graph, each after all those that it leads to. It needs no recursion, so
 * that a long chain of calls cannot exhaust the stack.
 */
export function components<Node>(
  roots: Iterable<Node>,
  successors: (node: Node) => readonly Node[],
): Node[][] {
  const found: Node[][] = [];
  const indices = new Map<Node, number>();
  const low = new Map<Node, number>();
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  for (const root of roots) {
    if (indices.has(root)) continue;
    const work: { node: Node; next: number; to: readonly Node[] }[] = [];
    const enter = (node: Node) => {
      indices.set(node, indices.size);
      low.set(node, indices.get(node)!);
      open.push(node);
      isOpen.add(node);
      work.push({ node, next: 0, to: successors(node) });
    };
    enter(root);
    while (work.length > 0) {
      const top = work.at(-1)!;
      const to = top.to[top.next++];
      if (to !== undefined) {
        if (!indices.has(to)) enter(to);
        else if (isOpen.has(to)) low.set(top.node, Math.min(low.get(top.node)!, indices.get(to)!));
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) low.set(above.node, Math.min(low.get(above.node)!, low.get(top.node)!));
      if (low.get(top.node) !== indices.get(top.node)) continue;
      const component: Node[] = [];
      for (;;) {
        const node = open.pop()!;
        isOpen.delete(node);
        component.push(node);
        if (node === top.node) break;
      }
      found.push(component);
    }
  }
  return found;
}
