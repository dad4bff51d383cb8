import { GrpcTypes } from '@mysten/sui/grpc';
import { packageMessage } from '../rpc/convert/package.ts';
import type { LoadedPackage } from '../vm/loader/package.ts';
import { block, facts, objectLink, table } from './frame.ts';
import { type Html, html } from './html.ts';

const {
  OpenSignatureBody_Type: BodyType,
  OpenSignature_Reference: Reference,
  FunctionDescriptor_Visibility: Visibility,
  Ability,
} = GrpcTypes;

/** Maximum number of lines of a disassembly. */
const maxLines = 5_000;

/** What a package has: its modules, links and versions. */
export function packageFacts(
  loaded: LoadedPackage,
  versions: { packageId: string; version: bigint }[],
): Html {
  const { content } = loaded;
  return html`<h2>Modules</h2>${table(
    ['module', 'bytes'],
    [...content.modules].map(([name, bytes]) => [
      html`<a href="/explorer/packages/${loaded.id}/${name}">${name}</a>`,
      bytes.length,
    ]),
  )}<h2>Versions</h2>${table(
    ['version', 'package'],
    versions.map(({ packageId, version }) => [version, objectLink(packageId)]),
  )}<h2>Linked packages</h2>${table(
    ['package', 'version', 'at'],
    [...content.linkage].map(([id, { storageId, version }]) => [
      objectLink(id),
      version,
      objectLink(storageId),
    ]),
  )}`;
}

/** A module: its datatypes and functions as text, and its instructions. Undefined when the package lacks it. */
export function modulePage(loaded: LoadedPackage, name: string): Html | undefined {
  const described = packageMessage(loaded).modules.find((module) => module.name === name);
  const module = loaded.module(name);
  if (!described || !module) return undefined;
  const datatypes = described.datatypes.map((datatype) => {
    const fields = datatype.fields.map(
      ({ name: field, type }) => `    ${field}: ${type ? bodyText(type) : '?'},`,
    );
    const variants = datatype.variants.map(
      (variant) =>
        `    ${variant.name}(${variant.fields.map(({ name: field, type }) => `${field}: ${type ? bodyText(type) : '?'}`).join(', ')}),`,
    );
    const abilities = datatype.abilities.map((ability) => Ability[ability].toLowerCase()).join(', ');
    const kind = variants.length > 0 ? 'enum' : 'struct';
    return `${kind} ${datatype.name}${abilities && ` has ${abilities}`} {\n${[...fields, ...variants].join('\n')}\n}`;
  });
  const functions = described.functions.map((each) => {
    const visibility = Visibility[each.visibility ?? 0]!.toLowerCase();
    const generics = each.typeParameters.map((_, index) => `T${index}`).join(', ');
    const returns = each.returns.map(signatureText).join(', ');
    return (
      `${visibility}${each.isEntry ? ' entry' : ''} fun ${each.name}${generics && `<${generics}>`}` +
      `(${each.parameters.map(signatureText).join(', ')})${returns && `: (${returns})`}`
    );
  });
  const lines = module.json.function_defs.flatMap((definition, index) => [
    '',
    `${module.functions[index]!.name}:`,
    ...(definition.code?.code ?? ['native']).map((step, at) => {
      const [operation, operand] = typeof step === 'string' ? [step] : (Object.entries(step)[0] ?? ['?']);
      return `  ${at}: ${operation}${operand === undefined ? '' : ` ${operandText(operand)}`}`;
    }),
  ]);
  return html`${facts([['package', objectLink(loaded.id)]])}<h2>Datatypes</h2>${block(datatypes.join('\n\n'))}
<h2>Functions</h2>${block(functions.join('\n'))}
<h2>Instructions</h2>${lines.length > maxLines ? html`<p>The first ${maxLines} of ${lines.length} lines.</p>` : undefined}
<pre>${lines.slice(0, maxLines).join('\n')}</pre>`;
}

const operandText = (operand: unknown) =>
  JSON.stringify(operand, (_, each) => (typeof each === 'bigint' ? String(each) : each))?.slice(0, 200) ?? '';

function signatureText({ reference, body }: GrpcTypes.OpenSignature): string {
  const prefix = reference === Reference.MUTABLE ? '&mut ' : reference === Reference.IMMUTABLE ? '&' : '';
  return `${prefix}${body ? bodyText(body) : '?'}`;
}

function bodyText(body: GrpcTypes.OpenSignatureBody): string {
  const of = body.typeParameterInstantiation.map(bodyText).join(', ');
  if (body.type === BodyType.VECTOR) return `vector<${of}>`;
  if (body.type === BodyType.TYPE_PARAMETER) return `T${body.typeParameter}`;
  if (body.type !== BodyType.DATATYPE) return BodyType[body.type ?? 0]!.toLowerCase();
  const [address = '', ...name] = (body.typeName ?? '').split('::');
  return `${address.replace(/^0x0*(?=.)/, '0x')}::${name.join('::')}${of && `<${of}>`}`;
}
