import { writeFile } from 'node:fs/promises';
import { canonicalJson, categories } from '@adaptor-marketplace/adaptor/manifest';
import type { Command } from 'commander';
import { read } from '../api/read.ts';
import { addressArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { Refusal, say } from '../io.ts';
import { draftAnswer } from '../listing/draft.ts';
import { draftLines, warningLines } from '../listing/lines.ts';
import { type DraftOptions, draftOptions, requestDraft } from '../listing/request-draft.ts';
import { type ApiOptions, answer, apiCommand, apiOf, withExamples } from '../options.ts';
import { printableJson } from '../output/escape.ts';
import { fileFailure, requireWritable } from '../output/file-failure.ts';

interface Options extends ApiOptions, DraftOptions {
  upload?: boolean;
  sender?: string;
  save?: string;
  saveManifest?: string;
}

/** A listing of a package, for its publisher to sign. */
export function draftCommand(io: Io): Command {
  const command = draftOptions(
    apiCommand(
      'draft',
      `Writes a package's manifest and its unsigned register(). Categories: ${categories.join(', ')}, or one of your own.`,
    ),
  )
    .argument('<package>', 'id of the package', addressArgument)
    .option('--upload', 'store the manifest on Walrus, at the cost of the host')
    .option('--sender <address>', 'who will sign: adds the unsigned transaction', addressArgument)
    .option('--save <file>', 'keep the draft, for register --draft')
    .option('--save-manifest <file>', 'write the canonical JSON of the manifest, to be stored elsewhere')
    .action(async (packageId: string, options: Options) => {
      const { network, upload, sender, save, saveManifest } = options;
      // Before the work: what is drafted and stored would be lost otherwise.
      for (const file of [save, saveManifest]) if (file) await requireWritable(file);
      const request = { packageId, network, upload, sender };
      const body = await requestDraft(await apiOf(io, options), options, request);
      const draft = read(draftAnswer, body);
      if (save) await write(save, `${printableJson(body)}\n`);
      if (saveManifest) await write(saveManifest, canonicalJson(draft.manifest));
      say(io.err, warningLines(draft.warnings));
      answer(io, options, body, () => [
        ...draftLines(draft),
        `manifest uri   ${draft.manifestUri ?? 'none yet: --upload stores it'}`,
      ]);
    });
  return withExamples(
    command,
    "draft 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins in a vault.' --upload --save draft.json",
    "draft 0xbfc9... --name 'Nest Egg' --summary 'Keeps coins.' --object 0x6903... --save-manifest manifest.json",
  );
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => {
    throw new Refusal(fileFailure(path, error));
  });
}
