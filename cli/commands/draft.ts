import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { canonicalJson, categories } from '../../lib/adaptor/manifest.ts';
import { read } from '../api/read.ts';
import type { Io } from '../io.ts';
import { say } from '../io.ts';
import { draftAnswer } from '../listing/draft.ts';
import { type DraftOptions, draftOptions, requestDraft, warningLines } from '../listing/request-draft.ts';
import { type ApiOptions, addressArgument, answer, apiCommand, apiOf } from '../options.ts';
import { printableJson } from '../output/escape.ts';
import { table } from '../output/table.ts';

interface Options extends ApiOptions, DraftOptions {
  upload?: boolean;
  sender?: string;
  save?: string;
  saveManifest?: string;
}

/** A listing of a package, for its publisher to sign. */
export function draftCommand(io: Io): Command {
  return draftOptions(
    apiCommand(
      'draft',
      `Writes a package's manifest and its unsigned register(). Categories: ${categories.join(', ')}.`,
    ),
  )
    .argument('<package>', 'id of the package', addressArgument)
    .option('--upload', 'store the manifest on Walrus, at the cost of the host')
    .option('--sender <address>', 'who will sign: adds the unsigned transaction', addressArgument)
    .option('--save <file>', 'keep the draft, for register --draft')
    .option('--save-manifest <file>', 'write the canonical JSON of the manifest, to be stored elsewhere')
    .action(async (packageId: string, options: Options) => {
      const { network, upload, sender, save, saveManifest } = options;
      const request = { packageId, network, upload, sender };
      const body = await requestDraft(apiOf(io, options), options, request);
      const draft = read(draftAnswer, body);
      if (save) await writeFile(save, `${printableJson(body)}\n`);
      if (saveManifest) await writeFile(saveManifest, canonicalJson(draft.manifest));
      say(io.err, warningLines(draft));
      answer(io, options, body, () => [
        `${draft.manifest.name}, ${draft.manifest.category}: ${draft.manifest.summary}`,
        `service type   ${draft.serviceType}`,
        `manifest hash  ${draft.manifestHash}`,
        `manifest uri   ${draft.manifestUri ?? 'none yet: --upload stores it'}`,
        '',
        ...table(
          ['OP', 'KIND', 'CALL'],
          draft.manifest.ops.map(({ module, entry, kind, call }) => [
            `${module}::${entry}`,
            kind,
            call ? call.args.map(argument).join(', ') : 'none',
          ]),
        ),
      ]);
    });
}

type Argument = NonNullable<
  ReturnType<typeof draftAnswer.parse>['manifest']['ops'][number]['call']
>['args'][number];

function argument(one: Argument): string {
  if (one.role === 'object') return `object ${one.objectId}`;
  if (one.role === 'pure') return `${one.name ?? 'pure'}: ${one.type}`;
  return one.role;
}
