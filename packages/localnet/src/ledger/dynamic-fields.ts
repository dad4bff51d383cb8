import { idOf } from '../state/encoding.ts';
import { deserializeValue, serializeValue } from '../vm/bcs.ts';
import type { PackageCache } from '../vm/loader/package.ts';
import { typeName } from '../vm/type-names.ts';
import { StructValue } from '../vm/values.ts';
import type { MoveRecord, ReadLive } from './input-objects.ts';
import type { DynamicFieldRecord } from './types.ts';

/**
 * Reads a `0x2::dynamic_field::Field<Name, Value>` object. Its contents are id, name and value one after the
 * other; where the name ends, only its type says. A dynamic object field is a field whose name is wrapped and
 * whose value is the child's id.
 */
export function readDynamicField(
  parent: string,
  field: MoveRecord,
  packages: PackageCache,
  read: ReadLive,
): DynamicFieldRecord | undefined {
  const type = packages.type(field.type, read);
  if (type.kind !== 'datatype' || type.datatype.module !== 'dynamic_field') return undefined;
  const [name, value] = type.args;
  const contents = deserializeValue(type, field.contents);
  if (name === undefined || value === undefined || !(contents instanceof StructValue)) return undefined;
  const nameBytes = serializeValue(name, contents.fields[1] ?? 0);
  const valueBytes = field.contents.subarray(32 + nameBytes.length);
  const record = { parent, field, name: nameBytes, value: valueBytes };
  if (name.kind === 'datatype' && name.datatype.module === 'dynamic_object_field') {
    const child = read(idOf(valueBytes));
    if (child?.kind !== 'move') return undefined;
    const [wrapped = name] = name.args;
    return { ...record, kind: 'object', nameType: typeName(wrapped), valueType: child.type, child };
  }
  return { ...record, kind: 'field', nameType: typeName(name), valueType: typeName(value), child: undefined };
}
