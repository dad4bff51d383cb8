import { publishedFramework } from '../../../introspect/testing/packages.ts';
import type { PackageContent } from '../../../packages/source.ts';
import { certify } from '../../certify.ts';
import type { HostileAdaptor } from './adaptor.ts';
import { type CompiledAdaptors, compileAdaptors } from './compile.ts';
import { type CertifyOp, judge } from './judge.ts';
import { hostileAdaptors } from './list.ts';

/** All hostile adaptors and their twins, compiled. */
export class HostileSuite {
  readonly #adaptors: CompiledAdaptors;
  readonly #dependencies: readonly PackageContent[];

  private constructor(adaptors: CompiledAdaptors, dependencies: readonly PackageContent[]) {
    this.#adaptors = adaptors;
    this.#dependencies = dependencies;
  }

  static async compile(): Promise<HostileSuite> {
    const framework = await publishedFramework();
    const adaptors = await compileAdaptors(hostileAdaptors);
    const { wallet, accomplice } = adaptors;
    const system = await Promise.all(['0x1', '0x2'].map((id) => framework.read(id)));
    return new HostileSuite(adaptors, [...system, wallet, accomplice]);
  }

  /** Returns the reasons why the certificates do not show the plant, or show it in the twin. */
  judge(adaptor: HostileAdaptor): string[] {
    return judge(adaptor, this.#adaptors, this.#certifyOp);
  }

  readonly #certifyOp: CertifyOp = (root, module, op) =>
    certify(
      { root, dependencies: this.#dependencies },
      { module, function: op },
      { upgrade: { policy: 'compatible', olderVersions: 1 } },
    );
}
