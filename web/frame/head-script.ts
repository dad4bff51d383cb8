/** Words for a script that is missing. */
export const notLoaded =
  'A part of this page could not be loaded. Look whether you are online, and reload the page.';
export const loadingWallets = 'Loading the code of wallets…';

/**
 * Runs before the first paint: marks that script runs, sets the chosen mode, and answers for the other scripts until they
 * are loaded. It says that a click on Connect is heard, which the frame's script then does, and that a script is missing.
 */
export const headScript = `{${[
  'const root=document.documentElement;root.classList.add("js");',
  'try{const mode=localStorage.getItem("theme");if(mode)root.dataset.theme=mode}catch{}',
  'const say=text=>{const toast=document.getElementById("toast");if(toast){toast.textContent=text;toast.classList.add("shown")}};',
  'addEventListener("click",({target})=>{if(root.dataset.ready===undefined&&target.closest("#connect,[data-connect]")){',
  `root.dataset.asked="connect";say(${JSON.stringify(loadingWallets)})}});`,
  `const fail=()=>{say(${JSON.stringify(notLoaded)});`,
  `for(const part of document.querySelectorAll("[data-loading]"))part.textContent=${JSON.stringify(notLoaded)}};`,
  'addEventListener("error",({target})=>{if(target.localName!=="script")return;',
  'if(document.readyState==="loading")addEventListener("DOMContentLoaded",fail);else fail()},true);',
].join('')}}`;
