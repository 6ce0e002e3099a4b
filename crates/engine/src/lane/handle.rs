//! What others hold of a lane: a way to wake it and to give it orders.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

use super::order::LaneOrder;

/// Wakes a lane and gives it orders. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LaneHandle {
    pub(super) orders: mpsc::Sender<LaneOrder>,
    pub(super) wake: Arc<Notify>,
}

impl LaneHandle {
    /// Makes the lane check its queue.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Gives an order; false when the lane is gone.
    pub async fn order(&self, order: LaneOrder) -> bool {
        self.orders.send(order).await.is_ok()
    }
}
