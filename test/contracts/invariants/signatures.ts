import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';

/** A public function as its source says it: types without their modules, type parameters by name. */
export interface Signature {
  /** `package::module::function`. */
  name: string;
  typeParameters: string[];
  /** Without the context of the transaction. */
  parameters: { name: string; type: string }[];
  results: string[];
}

/** Reads the public functions of a package from its sources. */
export function readSignatures(packageName: string, files: PackageFiles): Signature[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const module = /^sources\/(\w+)\.move$/.exec(path)?.[1];
    return module === undefined ? [] : readModule(`${packageName}::${module}`, text);
  });
}

function readModule(module: string, text: string): Signature[] {
  const code = text.replace(/\/\/.*$/gm, '').replace(/#\[test_only\]\s+public fun \w+/g, '');
  const declared = /^public fun (\w+)(?:<([^(]*)>)?\(([^)]*)\)(?:: ([^{]+))? \{/gm;
  return [...code.matchAll(declared)].map(([, name, generics = '', parameters = '', result = '']) => ({
    name: `${module}::${name}`,
    typeParameters: splitTypes(generics).map((each) => each.split(':')[0]!.trim()),
    parameters: splitTypes(parameters)
      .map((each) => ({ name: each.split(':')[0]!.trim(), type: each.slice(each.indexOf(':') + 1).trim() }))
      .filter(({ type }) => !type.endsWith('TxContext')),
    results: splitTypes(result.trim().replace(/^\(([\s\S]*)\)$/, '$1')),
  }));
}

/** Splits a list at the commas that are not within `<>`. */
export function splitTypes(list: string): string[] {
  const found: string[] = [''];
  let depth = 0;
  for (const character of list) {
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found[found.length - 1] += character;
  }
  return found.map((each) => each.trim()).filter((each) => each !== '');
}
