import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Admission } from "../../src/guard/index.ts";

describe("admission", () => {
  test("has as many places as it says, and gives a place again once it was given back", () => {
    const admission = new Admission(2);
    const first = admission.enter();
    const second = admission.enter();
    expect([first, second]).not.toContain(null);
    expect(admission.enter()).toBeNull();
    first?.();
    expect(admission.enter()).not.toBeNull();
    expect(admission.enter()).toBeNull();
  });

  test("takes a place back once, however often it is given back", () => {
    const admission = new Admission(2);
    const leave = admission.enter();
    admission.enter();
    leave?.();
    leave?.();
    expect(admission.underWay).toBe(1);
  });

  test("never has more or fewer under way than have entered and not left", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat({ max: 9 })), (most, steps) => {
        const admission = new Admission(most);
        const inside: (() => void)[] = [];
        const gone: (() => void)[] = [];
        for (const step of steps) {
          if (step < 5) {
            const leave = admission.enter();
            expect(leave === null).toBe(inside.length === most);
            if (leave) inside.push(leave);
          } else if (step < 8) {
            const leave = inside.splice(step % 3, 1)[0];
            leave?.();
            if (leave) gone.push(leave);
          } else gone.at(-1)?.();
          expect(admission.underWay).toBe(inside.length);
        }
      }),
    );
  });
});
