/** Text in place of a part whose script could not be loaded. */
export const notLoaded =
  'A part of this page could not be loaded. Check that you are online, and reload the page.';
export const loadingWallets = 'Loading the code of wallets…';

/**
 * Source of the script in the head, which runs before the first paint. It marks that script runs, and sets the chosen mode.
 * Until the frame's script is loaded, it records a click on Connect, which that script then answers. If a script cannot be
 * loaded, it says so.
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
