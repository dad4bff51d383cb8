const imports: [path: string, type: string][] = [
  ['accomplice::badge', 'Badge'],
  ['accomplice::chest', 'Chest'],
  ['sui::bag', 'Bag'],
  ['sui::balance', 'Balance'],
  ['sui::clock', 'Clock'],
  ['sui::coin', 'Coin'],
  ['sui::dynamic_field', ''],
  ['sui::dynamic_object_field', ''],
  ['sui::linked_table', 'LinkedTable'],
  ['sui::object_table', 'ObjectTable'],
  ['sui::sui', 'SUI'],
  ['sui::table', 'Table'],
  ['sui::transfer', 'Receiving'],
  ['sui::vec_map', 'VecMap'],
  ['sui::vec_set', 'VecSet'],
  ['wallet::intent', ''],
  ['wallet::wallet', 'Wallet'],
];

/** Writes the imports that the code of a module needs. */
export function importUsed(code: string): string {
  const lines = imports.flatMap(([path, type]) => {
    const module = path.split('::')[1]!;
    // `transfer` needs no import, and `sui::` starts paths of the framework.
    const usesModule =
      !['transfer', 'sui'].includes(module) && new RegExp(`(?<!::)\\b${module}::`).test(code);
    const usesType = type !== '' && new RegExp(`(?<!::)\\b${type}\\b`).test(code);
    if (usesModule && usesType) return [`use ${path}::{Self, ${type}};\n`];
    if (usesType) return [`use ${path}::${type};\n`];
    return usesModule ? [`use ${path};\n`] : [];
  });
  return lines.join('');
}
