/** The typed text as a hidden field, so that no step of the form loses it. */
export function TypedText({ typed }: { typed: string }) {
  return (
    <details class="typed">
      <summary>Your text</summary>
      <label class="visually-hidden" for="xml">
        Your text
      </label>
      <textarea id="xml" class="code" name="xml" rows={20} wrap="off" spellcheck={false}>
        {`\n${typed}`}
      </textarea>
    </details>
  )
}
