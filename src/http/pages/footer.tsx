import type { Chrome } from './layout.tsx'

/** What stands below every page: the choice of colours, which works without a script. */
export function Footer({ chrome: { links, colours, here } }: { chrome: Chrome }) {
  const other = colours === 'green-red' ? 'blue-orange' : 'green-red'
  const label =
    other === 'blue-orange' ? 'Use colour-blind safe colours' : 'Use green and red colours'
  return (
    <footer class="foot">
      <form method="post" action={links.colours()}>
        <input type="hidden" name="colours" value={other} />
        <input type="hidden" name="back" value={here} />
        <button class="quiet">{label}</button>
      </form>
      <a href={links.audit()}>Audit log</a> · <a href={links.api()}>Interface</a>
    </footer>
  )
}
