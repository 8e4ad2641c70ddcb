import { elementOf, runDetached } from './dom.ts'

/** Binds the buttons that copy a text: that of an address, or the code beside them. */
export function watchCopyButtons(): void {
  document.addEventListener('click', (event) => {
    const button = elementOf(event)?.closest<HTMLElement>('button.copy')
    if (button) runDetached(copy(button))
  })
}

async function copy(button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(await textFor(button))
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Could not copy'
  }
}

async function textFor({ dataset, parentElement }: HTMLElement): Promise<string> {
  const address = dataset['copy']
  if (address === undefined) {
    const beside = parentElement?.querySelector('code') ?? parentElement?.querySelector('pre')
    return beside?.textContent ?? ''
  }
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(answer.statusText)
  return answer.text()
}
