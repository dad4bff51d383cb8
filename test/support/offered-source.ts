import { join } from 'node:path';
import { readSourceFolder } from '@adaptor-marketplace/move-toolchain/verify';
import { prepareSource } from '@adaptor-marketplace/move-toolchain/verify/source';
import { encodeContent } from '../../db/queries/package-sources/content.ts';
import type { SourceOffer } from '../../db/queries/package-sources/offers.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';

type Edit = (text: string, path: string) => string;

/** Source of a package below `move`, with the packages that it uses. `edit`: changes its own modules. */
async function prepareMove(path: string, edit: Edit = (text) => text) {
  const { files, folder, gitFolders } = await readSourceFolder(join(moveDir, path));
  const edited = new Map(
    [...files].map(([name, bytes]) => {
      const isOwn = name.startsWith(`${folder}/`) && name.endsWith('.move');
      return [name, isOwn ? Buffer.from(edit(Buffer.from(bytes).toString(), name)) : bytes] as const;
    }),
  );
  return prepareSource(edited, folder, gitFolders);
}

/** An offer of `prepareMove`'s source for a package. */
export async function makeOffer(
  path: string,
  offer: Pick<SourceOffer, 'network' | 'packageId'> & { address?: string; edit?: Edit },
): Promise<SourceOffer> {
  const { network, packageId, address = '192.0.2.1', edit } = offer;
  const source = await prepareMove(path, edit);
  const stored = await encodeContent(source);
  return { network, packageId, address, sourceHash: source.hash, ...stored };
}
