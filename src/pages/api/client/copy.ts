import { elementOf, runDetached } from '../../kit/client/dom.ts'

/** Buttons that copy the text beside them. */
export function watchCopyButtons(): void {
  document.addEventListener('click', (event) => {
    const button = elementOf(event)?.closest('button.copy')
    const text = button?.parentElement?.querySelector('code')?.textContent
    if (button && text) runDetached(copy(button, text))
  })
}

async function copy(button: Element, text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  button.textContent = 'Copied'
}
