// @ts-check
/** Sigma's drawing programs with every vertex written out: a software renderer draws each instance apart, at 20 µs each. */

/** @param {any} Program @returns {any} the same without instances, and without drawing all a second time to find what a pointer is over */
function writtenOut(Program) {
  return class extends Program {
    /** @param {any} gl @param {any} _ @param {any} renderer */
    constructor(gl, _, renderer) {
      super(gl, null, renderer);
      this.constants = super.getDefinition().CONSTANT_DATA;
      this.ownItems = this.ATTRIBUTES_ITEMS_COUNT - this.constants[0].length;
    }

    getDefinition() {
      const { CONSTANT_ATTRIBUTES, CONSTANT_DATA, ...rest } = super.getDefinition();
      return { ...rest, ATTRIBUTES: [...rest.ATTRIBUTES, ...CONSTANT_ATTRIBUTES] };
    }

    /** @param {number} id @param {number} start @param {...any} item */
    processVisibleItem(id, start, ...item) {
      super.processVisibleItem(id, start, ...item);
      this.constants.forEach((/** @type {number[]} */ values, /** @type {number} */ vertex) => {
        const at = start + vertex * this.ATTRIBUTES_ITEMS_COUNT;
        this.array.copyWithin(at, start, start + this.ownItems);
        this.array.set(values, at + this.ownItems);
      });
    }
  };
}

const ARROW = { lengthToThicknessRatio: 4.5, widenessToThicknessRatio: 3.5 };

/** @param {any} rendering of sigma */
export function drawingPrograms(rendering) {
  const { NodeCircleProgram, EdgeRectangleProgram, EdgeLineProgram, EdgeCurveProgram, createEdgeCompoundProgram, createEdgeClampedProgram, createEdgeArrowHeadProgram } = rendering;
  return {
    nodeProgramClasses: { circle: writtenOut(NodeCircleProgram) },
    edgeProgramClasses: {
      line: writtenOut(EdgeRectangleProgram),
      thin: EdgeLineProgram,
      arrow: createEdgeCompoundProgram([writtenOut(createEdgeClampedProgram(ARROW)), writtenOut(createEdgeArrowHeadProgram(ARROW))]),
      curved: writtenOut(EdgeCurveProgram),
    },
  };
}
