export { displayText, splitText, type TextPiece } from './display.ts';
export { nameSkeleton } from './skeleton.ts';
