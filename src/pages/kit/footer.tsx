import type { PageFrame } from './layout.tsx'

/** The footer of every page: the choice of colours, which works without a script. */
export function Footer({ frame }: { frame: PageFrame }) {
  const { links, colours, here, everyoneAdministers } = frame
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
      <p class="muted">
        Times are in <span data-zone="">UTC</span>.
      </p>
      {everyoneAdministers && (
        <p class="muted">Everyone is an administrator until the configuration names some.</p>
      )}
    </footer>
  )
}
