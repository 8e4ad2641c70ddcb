import { compareQueryOf } from '../code/compare-query.ts'
import type { CompareViewProps } from './compare-view.tsx'

const HEIGHT = 1_000
const MIN_HEIGHT = 6

/**
 * An overview of all changes of the document, for pointers only: the toolbar has shortcuts for
 * keys.
 */
export function Ruler({ frame: { links }, comparison, query, from, to }: CompareViewProps) {
  return (
    <div class="ruler" aria-hidden="true">
      <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none">
        {comparison.marks.map(({ number, start, at, size, kind }) => {
          const page =
            start === comparison.part.start
              ? ''
              : links.compare(from, to, compareQueryOf({ ...query, start }))
          const height = Math.max(MIN_HEIGHT, size * HEIGHT)
          const y = Math.min(at * HEIGHT, HEIGHT - height)
          return (
            <a href={`${page}#c${number}`} tabindex={-1}>
              <Mark kind={kind} y={y} height={height} />
            </a>
          )
        })}
      </svg>
    </div>
  )
}

function Mark({ kind, y, height }: { kind: string; y: number; height: number }) {
  const place = { y: y.toFixed(1), height: height.toFixed(1) }
  if (kind === 'added') return <rect class="ins" x="0" width="10" {...place} />
  if (kind === 'removed') return <rect class="del" x="0" width="10" {...place} />
  return (
    <>
      <rect class="del" x="0" width="5" {...place} />
      <rect class="ins" x="5" width="5" {...place} />
    </>
  )
}
