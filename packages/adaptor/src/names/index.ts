export { formatCoinSymbol, isSui, parseTypeName } from './coin-symbol.ts';
export { displayText, hiddenCharacter, splitText, type TextPiece } from './display.ts';
export { nameSkeleton } from './skeleton.ts';
