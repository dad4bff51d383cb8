import { attest, register, unlist, update } from '@adaptor-marketplace/adaptor/transactions';
import type { DemoFile } from '../../../services/demo/file.ts';
import { absentBlob, manifestKinds, writeManifest } from '../market/manifests.ts';
import type { ServicePackage } from '../market/market.ts';
import type { Actor, Acts, Scene } from './act.ts';

/** One manifest in so many is bad. */
const badOnceIn = 5;

export const registryActs: Acts = {
  register: {
    weight: 4,
    prepare: (actor, scene) => announce(actor, scene, register, actor.package),
  },
  squat: {
    weight: 1,
    prepare: (actor, scene) => announce(actor, scene, register, actor.random.pick(scene.packages)),
  },
  update: {
    weight: 4,
    prepare: (actor, scene) => announce(actor, scene, update, actor.package),
  },
  unlist: {
    weight: 2,
    prepare({ random, package: { serviceTypes } }, { market: { demo } }) {
      const serviceType = random.pick(serviceTypes);
      return { append: (tx) => unlist(tx, toRegistry(demo), serviceType) };
    },
  },
  attest: {
    weight: 2,
    prepare({ random }, { market: { demo }, packages }) {
      const serviceType = random.pick(random.pick(packages).serviceTypes);
      const review = { serviceType, score: 1 + random.integer(5), commentUri: '' };
      return { append: (tx) => attest(tx, toRegistry(demo), review) };
    },
  },
};

const toRegistry = ({ packages, objects }: DemoFile) => ({
  packageId: packages.registry,
  objectId: objects.registry,
});

/** Stores a manifest of one of the package's services, a bad one now and then, and announces its hash. */
async function announce(
  { random }: Actor,
  { market, manifests }: Scene,
  call: typeof register,
  { serviceTypes, packageId }: ServicePackage,
) {
  const serviceType = random.pick(serviceTypes);
  const kind = random.integer(badOnceIn) === 0 ? random.pick(manifestKinds) : 'good';
  const { stored, hash } = writeManifest({ serviceType, packageId }, `Service ${random.hex(4)}`, kind);
  manifests.set(hash, kind);
  const manifestUri = stored === undefined ? absentBlob : await market.storeBlob(stored);
  const listing = { serviceType, packageId, manifestUri, manifestHash: hash };
  return {
    append: (tx: Parameters<typeof register>[0]) => call(tx, toRegistry(market.demo), listing),
  };
}
