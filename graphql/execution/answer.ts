import { writeJson } from './answer-size.ts';
import type { CoercedVariables } from './conditions.ts';
import {
  type FieldPlan,
  type ObjectPlan,
  OperationUnplannedError,
  type Plan,
  type ValueShape,
} from './plan.ts';

/** A part of a response: its text, interleaved with parts that are not known yet. */
class Part {
  text = '';
  #before: (string | Part)[] | undefined;

  /** Adds a part that is written later. It comes after the text so far. */
  addLater(): Part {
    const part = new Part();
    this.#before ??= [];
    this.#before.push(this.text, part);
    this.text = '';
    return part;
  }

  toString(): string {
    return this.#before ? this.#before.join('') + this.text : this.text;
  }
}

/**
 * Executes a query, and writes its data as JSON incrementally. Returns undefined if the response has an error, has more
 * than `charactersMax` characters, or has a value that a plan does not cover. Then graphql-js executes the query, and its
 * response is sent. Characters are bounded because they take the memory; the bytes of a response are counted at its end.
 */
export function executePlan(
  plan: Plan,
  context: object,
  variables: CoercedVariables | undefined,
  charactersMax: number,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  new AnswerWriter(plan, context, variables, charactersMax, resolve).begin(plan.root);
  return promise;
}

class AnswerWriter {
  readonly #context: object;
  readonly #variables: CoercedVariables | undefined;
  readonly #bindings: ReturnType<FieldPlan['bind']>[];
  readonly #whole = new Part();
  readonly #onEnd: (json: string | undefined) => void;
  /** Characters that may still be written. */
  #charactersLeft: number;
  /** Parts that are not written yet. */
  #openParts = 0;
  #ended = false;

  constructor(
    { bindings }: Plan,
    context: object,
    variables: CoercedVariables | undefined,
    charactersMax: number,
    end: (json: string | undefined) => void,
  ) {
    this.#context = context;
    this.#variables = variables;
    this.#bindings = (bindings ?? []) as ReturnType<FieldPlan['bind']>[];
    this.#charactersLeft = charactersMax;
    this.#onEnd = end;
  }

  begin(root: ObjectPlan): void {
    this.#writePart(() => this.#writeObject(root, undefined, this.#whole));
  }

  /** Writes a part. The last part ends the response. */
  #writePart(write: () => void): void {
    this.#openParts += 1;
    try {
      write();
      this.#openParts -= 1;
      if (this.#openParts === 0) this.#finish(String(this.#whole));
    } catch {
      this.#finish(undefined);
    }
  }

  #finish(json: string | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(json);
  }

  #writeObject({ fields, closing, width }: ObjectPlan, source: unknown, part: Part): void {
    this.#spend(width);
    for (let at = 0; at < fields.length; at += 1) {
      const field = fields[at]!;
      part.text += field.opening;
      this.#writeValue(field.shape, this.#resolveValue(field, source), field, part);
    }
    part.text += closing;
  }

  #resolveValue(field: FieldPlan, source: unknown): unknown {
    const { resolve, name } = field;
    if (!resolve) {
      const value = (source as Record<string, unknown> | undefined)?.[name];
      if (typeof value === 'function') throw new OperationUnplannedError();
      return value;
    }
    const { args, info } = this.#getBinding(field);
    return resolve(source, args, this.#context, info);
  }

  #getBinding({ at, bind }: FieldPlan): ReturnType<FieldPlan['bind']> {
    this.#bindings[at] ??= bind(this.#variables);
    return this.#bindings[at];
  }

  #writeValue(shape: ValueShape, value: unknown, field: FieldPlan, part: Part): void {
    if (isPromise(value)) {
      const later = part.addLater();
      this.#openParts += 1;
      value.then(
        (known) => {
          this.#openParts -= 1;
          if (this.#ended) discard(known);
          else this.#writePart(() => this.#writeResolved(shape, known, field, later));
        },
        () => this.#finish(undefined),
      );
    } else this.#writeResolved(shape, value, field, part);
  }

  #writeResolved(shape: ValueShape, value: unknown, field: FieldPlan, part: Part): void {
    if (value === null || value === undefined) {
      if (shape.nonNull) throw new OperationUnplannedError();
      part.text += 'null';
    } else if (value instanceof Error) throw new OperationUnplannedError();
    else if (shape.kind === 'leaf') this.#writeText(this.#formatLeaf(shape, value), part);
    else if (shape.kind === 'object') this.#writeObject(shape.plan, value, part);
    else if (shape.kind === 'list') this.#writeList(shape.item, value, field, part);
    else {
      const name = shape.resolveTypeName(value, this.#context, this.#getBinding(field).info);
      const plan = typeof name === 'string' ? shape.plans.get(name) : undefined;
      if (!plan) throw new OperationUnplannedError();
      this.#writeObject(plan, value, part);
    }
  }

  #formatLeaf({ type, isText }: Extract<ValueShape, { kind: 'leaf' }>, value: unknown): string {
    if (isText && typeof value === 'string') return JSON.stringify(value);
    const known = type.coerceOutputValue(value);
    if (known === null || known === undefined) throw new OperationUnplannedError();
    if (typeof known === 'boolean' || Number.isFinite(known)) return String(known);
    if (typeof known !== 'object') return JSON.stringify(known) ?? 'null';
    const json = writeJson(known, this.#charactersLeft);
    if (json === undefined) throw new OperationUnplannedError();
    return json;
  }

  #writeList(shape: ValueShape, values: unknown, field: FieldPlan, part: Part): void {
    if (!Array.isArray(values)) throw new OperationUnplannedError();
    try {
      this.#spend(values.length);
      part.text += '[';
      for (let at = 0; at < values.length; at += 1) {
        if (at > 0) part.text += ',';
        this.#writeValue(shape, values[at], field, part);
      }
      part.text += ']';
    } catch (error) {
      discard(values);
      throw error;
    }
  }

  #writeText(json: string, part: Part): void {
    this.#spend(json.length);
    part.text += json;
  }

  #spend(characters: number): void {
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0) throw new OperationUnplannedError();
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Discards a value that is not sent. Promises in it may reject: without a listener, that would end the process. */
function discard(value: unknown): void {
  if (isPromise(value)) value.then(discard, () => undefined);
  else if (Array.isArray(value)) value.forEach(discard);
}
