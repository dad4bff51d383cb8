import { callArgument, callSpec } from '@adaptor-marketplace/adaptor/call-spec';
import { registryCall } from '@adaptor-marketplace/adaptor/draft/registry-call';
import { unsignedTransaction } from '@adaptor-marketplace/adaptor/draft/unsigned-transaction';
import { category } from '@adaptor-marketplace/adaptor/manifest';
import { networks } from '@adaptor-marketplace/adaptor/networks';
import { opSchema } from '@adaptor-marketplace/adaptor/op';
import { z } from 'zod';
import { type CreateDocumentOptions, createSchema } from 'zod-openapi';
import type { OpenApiDocument } from './share.ts';

/** Shapes that occur in several places, by the names that generated clients are to give them. */
const shapes = {
  Network: z.enum(networks),
  Category: category,
  Op: opSchema,
  CallSpec: callSpec,
  CallArgument: callArgument,
  RegistryArgument: registryCall.shape.arguments.element,
  UnsignedTransaction: unsignedTransaction,
} as const;

/** What zod calls the schema of any JSON value, which refers to itself. */
const anonymous = /^__schema\d+$/;
const jsonValue = 'JsonValue';

type Node = Record<string, unknown>;

/**
 * Puts reused shapes among the components under their names, and a reference wherever they occur, with the words that
 * stand there. Changes the document in place.
 * @param options as the document was made with, so that the shapes come out alike
 */
export function nameShapes(document: OpenApiDocument, options: CreateDocumentOptions): void {
  const names = new Map<string, string>();
  const named: Record<string, Node> = {};
  for (const [name, schema] of Object.entries(shapes)) {
    for (const io of ['input', 'output'] as const) {
      const shape = createSchema(schema, { io, opts: options }).schema as Node;
      names.set(keyOf(shape), name);
      named[name] = shape;
    }
  }
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  const loose = Object.keys(schemas).filter((name) => anonymous.test(name));
  if (loose.length > 1) throw new Error(`Schemas without a name: ${loose.join(', ')}.`);

  for (const node of Object.values(named)) visitInside(node);
  visitInside(document as unknown as Node);
  const [any] = loose;
  if (any !== undefined) {
    // Without its alternatives: TypeScript refuses the type that openapi-typescript makes of a union with itself.
    schemas[jsonValue] = { description: 'Any JSON value.' };
    delete schemas[any];
  }
  document.components = { ...document.components, schemas: { ...schemas, ...named } as never };

  function visitInside(node: Node): void {
    for (const [key, child] of Object.entries(node)) {
      // Examples are values, not schemas.
      if (typeof child === 'object' && child !== null && !/^examples?$/.test(key)) {
        node[key] = replaced(child as Node);
      }
    }
  }

  function replaced(node: Node): Node {
    if (typeof node.$ref === 'string') {
      const name = node.$ref.slice(node.$ref.lastIndexOf('/') + 1);
      return anonymous.test(name) ? { ...node, $ref: `#/components/schemas/${jsonValue}` } : node;
    }
    const name = names.get(keyOf(node));
    if (name !== undefined) {
      const { description } = node;
      return { ...(description !== undefined && { description }), $ref: `#/components/schemas/${name}` };
    }
    visitInside(node);
    return node;
  }
}

/** What a schema says, whatever words and default stand beside it. */
function keyOf({ description: _description, title: _title, ...schema }: Node): string {
  return JSON.stringify(schema, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
