import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { LoadedModule } from '../../vm/loader/module.ts';
import type { LoadedPackage } from '../../vm/loader/package.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { datatypeMessage, functionMessage, packageMessage } from '../convert/package.ts';
import { parseAddress } from '../query/move-path.ts';
import { bindService } from '../server/service.ts';
import { notFound } from '../server/status.ts';
import { missingField } from '../server/status-details.ts';

/** Versions per page. */
const versionLimits = { default: 1_000, max: 10_000 };

/** Packages, their datatypes and functions, as their bytecode declares them. */
export function packageService(view: ChainView) {
  function findPackage(packageId: string | undefined): LoadedPackage {
    const id = parseAddress(packageId, 'package_id');
    const found = view.package(id);
    if (!found) throw notFound(`Package ${id} not found`);
    return found;
  }

  function findModule({ packageId, moduleName }: { packageId?: string; moduleName?: string }): LoadedModule {
    const owner = findPackage(packageId);
    if (!moduleName) throw missingField('module_name');
    const module = owner.module(moduleName);
    if (!module) throw notFound(`Module ${owner.id}::${moduleName.slice(0, 200)} not found`);
    return module;
  }

  return bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
    getPackage: async ({ packageId }) => ({ package: packageMessage(findPackage(packageId)) }),

    async getDatatype(request) {
      const module = findModule(request);
      const datatype = request.name ? module.package.datatype(module.name, request.name) : undefined;
      if (!datatype) throw notFound(`Datatype ${qualified(module, request.name)} not found`);
      return { datatype: datatypeMessage(datatype) };
    },

    async getFunction(request) {
      const module = findModule(request);
      const found = request.name ? module.function(request.name) : undefined;
      if (!found) throw notFound(`Function ${qualified(module, request.name)} not found`);
      return { function: functionMessage(found) };
    },

    async listPackageVersions({ packageId, pageSize, pageToken }) {
      const id = parseAddress(packageId, 'package_id');
      findPackage(id);
      const { items, next } = view.ledger.listPackageVersions(id, {
        limit: Math.min(pageSize || versionLimits.default, versionLimits.max),
        ...(pageToken && { after: Buffer.from(pageToken).toString('utf8') }),
      });
      return { versions: items, ...(next !== undefined && { nextPageToken: Buffer.from(next, 'utf8') }) };
    },
  });
}

const qualified = (module: LoadedModule, name = '') =>
  `${module.package.id}::${module.name}::${name.slice(0, 200)}`;
