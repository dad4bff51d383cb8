import type { bcs } from '@mysten/sui/bcs';
import type { Argument, Command } from '../execution/types.ts';

type CommandInput = Parameters<typeof bcs.Command.serialize>[0];
type ArgumentInput = Parameters<typeof bcs.Argument.serialize>[0];

/** A command as `bcs.Command` writes it. */
export function commandInput(command: Command): CommandInput {
  switch (command.$kind) {
    case 'MoveCall': {
      const { MoveCall: call } = command;
      return { MoveCall: { ...call, arguments: call.arguments.map(argumentInput) } };
    }
    case 'TransferObjects': {
      const { objects, address } = command.TransferObjects;
      return { TransferObjects: { objects: objects.map(argumentInput), address: argumentInput(address) } };
    }
    case 'SplitCoins': {
      const { coin, amounts } = command.SplitCoins;
      return { SplitCoins: { coin: argumentInput(coin), amounts: amounts.map(argumentInput) } };
    }
    case 'MergeCoins': {
      const { destination, sources } = command.MergeCoins;
      return { MergeCoins: { destination: argumentInput(destination), sources: sources.map(argumentInput) } };
    }
    case 'MakeMoveVec': {
      const { type, elements } = command.MakeMoveVec;
      return { MakeMoveVec: { type, elements: elements.map(argumentInput) } };
    }
    case 'Publish':
      return { Publish: command.Publish };
    case 'Upgrade':
      return { Upgrade: { ...command.Upgrade, ticket: argumentInput(command.Upgrade.ticket) } };
  }
}

function argumentInput(argument: Argument): ArgumentInput {
  switch (argument.$kind) {
    case 'GasCoin':
      return { GasCoin: true };
    case 'Input':
      return { Input: argument.Input };
    case 'Result':
      return { Result: argument.Result };
    case 'NestedResult':
      return { NestedResult: argument.NestedResult };
  }
}
