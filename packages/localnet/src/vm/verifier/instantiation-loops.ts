import { instructionParts, type ModuleJson, type TokenJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';
import type { VerifierMeter } from '../meter.ts';

/**
 * LOOP_IN_INSTANTIATION_GRAPH: generic functions that call each other in a circle do not grow a type parameter on
 * the way, as `f<T>` that calls `f<vector<T>>` would, without end.
 *
 * The graph has a node for each type parameter of each function; a call leads from the caller's parameter to the
 * callee's that it is put into, alone or within a larger type.
 */
export function checkInstantiationLoops(json: ModuleJson, meter: VerifierMeter): void {
  const edges = graphOf(json);
  for (const [from, targets] of edges) {
    for (const [to, grows] of targets) {
      if (grows && leadsTo(edges, to, from, meter)) {
        throw verificationError(
          'LOOP_IN_INSTANTIATION_GRAPH',
          'a type argument grows with every call of a circle',
        );
      }
    }
  }
}

/** From a parameter to others; true when it grows on the way. */
type Graph = Map<string, Map<string, boolean>>;

const nodeOf = (handle: number, parameter: number) => `${handle}:${parameter}`;

function graphOf(json: ModuleJson): Graph {
  const graph: Graph = new Map();
  const own = new Set(json.function_defs.map((definition) => definition.function));
  for (const { function: caller, code } of json.function_defs) {
    const called = new Set<number>();
    for (const instruction of code?.code ?? []) {
      const [name, operand] = instructionParts(instruction);
      if (name === 'CallGeneric') called.add(Number(operand));
    }
    for (const instantiation of called) {
      const { handle, type_parameters } = json.function_instantiations[instantiation]!;
      if (!own.has(handle)) continue;
      for (const [i, token] of json.signatures[type_parameters]!.entries()) {
        const isPlain = typeof token !== 'string' && 'TypeParameter' in token;
        for (const parameter of parametersIn(token)) {
          const from = nodeOf(caller, parameter);
          const targets = graph.get(from) ?? new Map<string, boolean>();
          graph.set(from, targets);
          const to = nodeOf(handle, i);
          targets.set(to, targets.get(to) === true || !isPlain);
        }
      }
    }
  }
  return graph;
}

function* parametersIn(token: TokenJson): Iterable<number> {
  if (typeof token === 'string') return;
  if ('TypeParameter' in token) yield token.TypeParameter;
  if ('Vector' in token) yield* parametersIn(token.Vector);
  if ('DatatypeInstantiation' in token)
    for (const arg of token.DatatypeInstantiation[1]) yield* parametersIn(arg);
}

function leadsTo(graph: Graph, start: string, goal: string, meter: VerifierMeter): boolean {
  const seen = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === goal) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    const targets = graph.get(node)?.keys() ?? [];
    for (const target of targets) {
      meter.charge(1);
      open.push(target);
    }
  }
  return false;
}
