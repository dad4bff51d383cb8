import { verificationError } from '../errors.ts';
import type { LoadedModule } from '../loader/module.ts';

/**
 * Friends, which may call a module's `public(package)` functions:
 *
 * - INVALID_FRIEND_DECL_WITH_SELF: a module is none of its own friends;
 * - INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS: friends are of the same package.
 */
export function checkFriends(module: LoadedModule): void {
  for (const friend of module.json.friend_decls) {
    const [address, name] = [module.addressOf(friend.address), module.identifier(friend.name)];
    if (address !== module.address) {
      throw verificationError(
        'INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS',
        `${module.name} has the friend ${address}::${name}`,
      );
    }
    if (name === module.name) throw verificationError('INVALID_FRIEND_DECL_WITH_SELF', module.name);
  }
}
