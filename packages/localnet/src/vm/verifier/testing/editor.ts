import type {
  FunctionDefJson,
  InstructionJson,
  ModuleJson,
  TokenJson,
} from '@adaptor-marketplace/move-bytecode';

/** Puts things into a module by their names, for tests that publish what no compiler would make. */
export class ModuleEditor {
  readonly json: ModuleJson;

  constructor(json: ModuleJson) {
    this.json = json;
  }

  identifier(name: string): number {
    return indexOrPush(this.json.identifiers, name);
  }

  /** The datatype's handle. */
  handle(name: string): number {
    return found(
      this.json.datatype_handles.findIndex((handle) => this.json.identifiers[handle.name] === name),
    );
  }

  type(name: string): TokenJson {
    return { Datatype: this.handle(name) };
  }

  struct(name: string): number {
    return found(this.json.struct_defs.findIndex(({ struct_handle }) => struct_handle === this.handle(name)));
  }

  enum(name: string): number {
    return found(this.json.enum_defs.findIndex(({ enum_handle }) => enum_handle === this.handle(name)));
  }

  fields(name: string) {
    const { field_information } = this.json.struct_defs[this.struct(name)]!;
    if (field_information === 'Native') throw new Error(`${name} is native`);
    return field_information.Declared;
  }

  field(struct: string, field: number): number {
    return indexOrPush(this.json.field_handles, { owner: this.struct(struct), field });
  }

  variant(name: string, variant: number): number {
    return indexOrPush(this.json.variant_handles, { enum_def: this.enum(name), variant });
  }

  signature(...tokens: TokenJson[]): number {
    return indexOrPush(this.json.signatures, tokens);
  }

  /** The function's handle. */
  callee(name: string): number {
    return found(
      this.json.function_handles.findIndex((handle) => this.json.identifiers[handle.name] === name),
    );
  }

  instantiation(name: string, ...types: TokenJson[]): number {
    const entry = { handle: this.callee(name), type_parameters: this.signature(...types) };
    return indexOrPush(this.json.function_instantiations, entry);
  }

  fn(name: string): FunctionDefJson {
    return this.json.function_defs[
      found(this.json.function_defs.findIndex((each) => each.function === this.callee(name)))
    ]!;
  }

  code(name: string): InstructionJson[] {
    return this.fn(name).code!.code;
  }

  /** Another body, with locals behind the parameters. */
  body(name: string, code: InstructionJson[], ...locals: TokenJson[]): void {
    const { jump_tables } = this.fn(name).code!;
    this.fn(name).code = { code, locals: this.signature(...locals), jump_tables };
  }
}

function indexOrPush<T>(table: T[], entry: T): number {
  const text = JSON.stringify(entry);
  const index = table.findIndex((each) => JSON.stringify(each) === text);
  return index >= 0 ? index : table.push(entry) - 1;
}

function found(index: number): number {
  if (index < 0) throw new Error('no such name');
  return index;
}
