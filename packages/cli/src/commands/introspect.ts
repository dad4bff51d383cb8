import { warningSchema } from '@adaptor-marketplace/adaptor/draft/warning';
import { z } from 'zod';
import { read } from '../api/read.ts';
import { addressArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { warningLines } from '../listing/lines.ts';
import { type ApiOptions, answer, apiCommand, apiOf, withExamples } from '../options.ts';
import { shortType } from '../output/short-type.ts';
import { table } from '../output/table.ts';

const introspection = z.object({
  witnesses: z.array(z.object({ serviceType: z.string(), warnings: z.array(warningSchema).default([]) })),
  ops: z.array(
    z.object({
      module: z.string(),
      entry: z.string(),
      executable: z.boolean(),
      reason: z.object({ code: z.string(), detail: z.string() }).optional(),
      params: z.array(
        z.object({
          role: z.string(),
          confidence: z.string(),
          type: z.string(),
          name: z.string().optional(),
        }),
      ),
      typeParams: z.array(z.object({ role: z.string().optional() })),
    }),
  ),
});

type Op = z.infer<typeof introspection>['ops'][number];

/** What a deployed package offers. */
export function introspectCommand(io: Io) {
  const command = apiCommand(
    'introspect',
    "A package's witnesses and functions, and what their arguments are for.",
  )
    .argument('<package>', 'id of the package', addressArgument)
    .option('--all', 'also functions that no transaction can call')
    .action(async (packageId: string, options: ApiOptions & { all?: boolean }) => {
      const { network } = options;
      const api = await apiOf(io, options);
      const { body } = await api.post('/api/adaptors/introspect', { packageId, network });
      answer(io, options, body, () => linesOf(read(introspection, body), options.all ?? false));
    });
  return withExamples(command, 'introspect 0xbfc9...', 'introspect 0xbfc9... --all --json');
}

function linesOf({ witnesses, ops }: z.infer<typeof introspection>, all: boolean): string[] {
  const shown = ops.filter(({ reason }) => all || reason?.code !== 'not_callable');
  const guessed = shown.some(({ params }) => params.some(({ confidence }) => confidence === 'low'));
  return [
    ...(witnesses.length === 0 ? ['No witness: the package names no service.'] : []),
    ...witnesses.flatMap(({ serviceType, warnings }) => [
      `witness  ${serviceType}`,
      ...warningLines(warnings),
    ]),
    ...(shown.length === 0 ? ['No function that a transaction can call.'] : ['']),
    ...(shown.length === 0 ? [] : table(['FUNCTION', 'CALL', 'ARGUMENTS'], shown.map(rowOf))),
    ...(guessed ? ['', '? is a guess from the position alone.'] : []),
  ];
}

function rowOf({ module, entry, executable, reason, params, typeParams }: Op): string[] {
  const types = typeParams.map(({ role }, index) => role ?? `T${index}`).join(', ');
  const args = params.filter(({ role }) => role !== 'ctx').map(argument);
  return [
    `${module}::${entry}`,
    executable ? 'whole' : (reason?.code ?? 'no'),
    `${types && `<${types}> `}${args.join(', ')}`,
  ];
}

function argument({ role, confidence, type, name }: Op['params'][number]): string {
  const said = role === 'object' || role === 'pure' ? `${name ?? role}: ${shortType(type)}` : role;
  return confidence === 'low' ? `${said}?` : said;
}
